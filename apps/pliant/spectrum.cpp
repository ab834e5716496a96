// pliant spectrum A.wav B.wav …: what is in sounds, as a picture and a list of partials.

#include "commands.hpp"

#ifdef PLIANT_WITH_SOUND

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "pliant/io/file.hpp"
#include "pliant/sound/mix.hpp"
#include "pliant/sound/plot.hpp"
#include "pliant/sound/spectrum.hpp"

#endif

namespace pliant {

namespace {

#ifdef PLIANT_WITH_SOUND

int show_spectra(const Args& args) {
    const double highest = args.number("to");
    if (!(highest >= 20 && highest <= 200000)) throw UsageError("--to is 20 … 200000 Hz");
    std::vector<NamedAudio> sounds;
    for (const std::string& file : args.words())
        sounds.push_back({std::filesystem::path(file).stem().string(), decode_wav(read_file(file), file)});
    for (const NamedAudio& sound : sounds) {
        std::vector<double> first;
        for (std::size_t n = 0; n < sound.audio.samples.size(); n += static_cast<std::size_t>(sound.audio.channels))
            first.push_back(sound.audio.samples[n]);
        const Levels l = levels(sound.audio.samples, sound.audio.channels);
        std::printf("%s: %.2f s, %d Hz, peak %.2f dBFS, mean %.1e, strongest partial %.2f Hz\n", sound.name.c_str(),
                    sound.audio.seconds(), sound.audio.rate, 20 * std::log10(std::max(l.peak, 1e-12)), l.mean,
                    strongest_partial(first, sound.audio.rate, 20, std::min(highest, 0.499 * sound.audio.rate)));
    }
    if (args.has("out")) write_file_atomic(args.text("out"), spectra_svg(sounds, highest));
    return 0;
}

#else

int show_spectra(const Args&) {
    throw UserError("this build has no sound", {}, "Install libsndfile1-dev, then configure and build again");
}

#endif

}  // namespace

Command spectrum_command() {
    return {
        .name = "spectrum",
        .arguments = "WAV...",
        .least_words = 1,
        .most_words = 20,
        .summary = "Draws the spectra of WAV files side by side.",
        .about =
            "Prints level, mean and the strongest partial of each sound. With -o the spectra are drawn one below the\n"
            "other on the same axis, each scaled to its own largest value.",
        .flags = {{.name = "out", .letter = 'o', .value = "FILE", .help = "File for the drawing, as SVG."},
                  {.name = "to", .value = "F", .unit = "Hz", .fallback = "5000", .help = "Where the axis ends."}},
        .examples = {{"pliant spectrum blocks.wav boxes.wav -o spectra.svg", "Two sizes of the same thing."}},
        .run = show_spectra,
    };
}

}  // namespace pliant
