// In a page that is one file: unpacks the modules and the record that the file holds, and starts the page. Browsers do
// not load modules from disk, but they do from memory, so every module gets an address there; what it imports is
// replaced by the addresses of the others.
(async () => {
  const bytes = (id) => {
    const text = atob(document.getElementById(id).textContent), list = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) list[i] = text.charCodeAt(i);
    return list;
  };
  const inflate = async (id) => {
    const packed = new Blob([bytes(id)]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Response(packed).arrayBuffer();
  };
  try {
    const modules = JSON.parse(new TextDecoder().decode(await inflate('modules')));
    const made = {};
    const address = (name) => {
      if (made[name]) return made[name];
      const folder = name.replace(/[^/]*$/, '');
      const text = modules[name].replace(/\b(from|import)\s*(['"])\.\/([^'"]+)\2/g,
        (all, word, quote, path) => (folder + path in modules ? `${word} ${quote}${address(folder + path)}${quote}` : all));
      return (made[name] = URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
    };
    globalThis.pliant = { record: await inflate('record'), address };
    await import(address('main.js'));
  } catch (error) {
    const note = document.createElement('p');
    note.style.cssText = 'position:fixed;inset:40% 10% auto;z-index:99;font:16px system-ui;text-align:center';
    note.textContent = `This page needs a newer browser (of 2023 or later): ${error.message}`;
    document.body.append(note);
    throw error;
  }
})();
