# make run            build the program and run the flagship scene (make run SCENE=scenes/twist.lua: another)
# make studio         build the program and open the studio's start page
# make build          only build the program: ./pliant
# make test           build everything and run the tests
# make test-browser   drive the studio and the pages of runs in a real browser (installs chromium)
# make check          formatting and layering
# make check-includes every file compiled by itself, so that each includes what it uses (some minutes)
# make tidy           clang-tidy over the sources (some minutes)
# make soak           long tests
# make gallery        the pictures of the README, of the studio's start page and (with chromium) of docs/studio.md
# make pages          a page per scene of the gallery that plays it in a browser: out/pages/index.html
# make docs           the pages that are generated: scene reference, validation
# make performance    measure on this machine and write docs/performance.md (about five minutes)
# make help           this list

SCENE ?= scenes/quickstart.lua
BUILD  = build/release
OUT    = out/$(basename $(notdir $(SCENE)))

.PHONY: run test test-browser studio build everything check check-includes tidy format soak gallery pages docs performance help \
        clean

help:
	@sed -n 's/^# //p' $(MAKEFILE_LIST)

build:
	@tools/setup
	@test -f $(BUILD)/build.ninja || cmake --preset release
	@cmake --build $(BUILD) --target pliant
	@tools/setup_web
	@ln -sfn $(BUILD)/pliant pliant

# The program, the tests, and all that an installation holds.
everything: build
	@tools/setup --all
	@tools/setup_web --tests
	@cmake --build $(BUILD)

# The pictures are made anew only when the program or the scene has changed.
run: build
	@$(MAKE) --no-print-directory $(OUT)/sheet.png
	@echo "Look at $(OUT)/sheet.png; $(OUT)/ holds the animation for Blender (.usda) and ParaView (.pvd)."

$(OUT)/sheet.png: $(SCENE) $(BUILD)/pliant
	./pliant run $(SCENE) --out $(OUT) --export usd,vtu --report $(OUT)/report.json
	./pliant render $(OUT) --sheet 3x2 -o $@

test: everything
	@ctest --test-dir $(BUILD) --output-on-failure --parallel 2 -LE soak

studio: build
	@./pliant studio

test-browser: build
	@tools/setup_web --all
	@node tests/browser/page_test.mjs $(BUILD)/pliant
	@node tests/browser/parts_test.mjs $(BUILD)/pliant
	@node tests/browser/looks_test.mjs $(BUILD)/pliant
	@node tests/browser/studio_test.mjs $(BUILD)/pliant

soak: everything
	@ctest --test-dir $(BUILD) --output-on-failure -L soak

gallery: build
	@tools/gallery
	@tools/thumbnails
	@if command -v chromium > /dev/null; then tools/setup_web --all && tools/studio_pictures; \
	 else echo "No chromium: the pictures of docs/studio.md stay as they are (make test-browser installs it)."; fi

pages: build
	@tools/pages

docs: everything
	@./pliant scenes --reference > docs/scene-reference.md
	@tools/validation $(BUILD) > docs/validation.md

performance: build
	@tools/performance ./pliant

check:
	@tools/setup --all
	@if [ -e web/node_modules/eslint ]; then cd web && node node_modules/eslint/bin/eslint.js .; fi
	@tools/check_layers
	@tools/check_format

# Neither unity builds nor precompiled headers, and nothing is generated: what a file forgets to include is an error.
check-includes:
	@tools/check_includes

tidy:
	@tools/tidy

format:
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format-14 -i

clean:
	rm -rf build out pliant
