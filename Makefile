# Keyturn. `make run` and `make test` are all that a newcomer needs; `make help` lists the rest.

SWIFT ?= swift
# The same flags everywhere: another set of flags would build everything again. C and C++ are BoringSSL, which nobody
# debugs here: without debug information it builds faster.
PLAIN := -Xcc -g0 -Xcxx -g0
FLAGS := --explicit-target-dependency-import-check error $(PLAIN)
# ONCE=1 is for a checkout that is built once and not debugged: a fifth less work, but a change builds its whole module again.
ifdef ONCE
FLAGS += -debug-info-format none -Xswiftc -wmo -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -disable-batch-mode
endif
# A release holds Swift's libraries: it needs no toolchain where it runs, and calls into them are direct. `gold` would
# want the archives in order; these are the archives that Foundation's networking needs beside its own. The tools of the
# build itself are linked as ever, and are told where these archives are. Nothing is left of debug information in it.
ARCHIVES = $(shell $(SWIFT) -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')_static/linux
STATIC = $(if $(filter Linux,$(shell uname)),--static-swift-stdlib -Xswiftc -use-ld=lld $(addprefix -Xlinker ,--strip-all \
	-L$(ARCHIVES) -l_CFURLSessionInterface -l_FoundationCShims -l_FoundationCollections -l_FoundationICU \
	-lCoreFoundation -l_CFXMLInterface -lcurl))
RELEASE = --explicit-target-dependency-import-check error $(PLAIN) -c release -debug-info-format none $(STATIC)
BUILD := .build
# A thousand tests that all begin at once run into each other's deadlines.
FEW_AT_ONCE := --experimental-maximum-parallelization-width 6
SOURCES := Package.swift Sources $(filter-out Tests/Apple Tests/Fuzz Tests/Sanitizer Tests/Interop,$(wildcard Tests/*)) \
	Tests/Apple/Package.swift Tests/Apple/Sources Tests/Apple/Tests Tests/Sanitizer/Package.swift \
	Tests/Apple/UI/Package.swift $(addprefix Tests/Apple/UI/Sources/,AppKit SwiftUI UIKit) Tests/Apple/UI/Tests \
	Tests/Fuzz/Package.swift Tests/Fuzz/Sources/Fuzz Benchmarks \
	Examples/Package.swift Examples/Sources Examples/Apple/Sources

.PHONY: help run program test races fuzz apple model build release versions interop interop-programs bench lint format docs packages \
	consumer examples package packages-test

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: program ## Install what is missing, build, and start a throw-away server to sign in to
	@exec $(BUILD)/debug/keyturn dev

program: packages
	@echo "Building Keyturn (a few minutes the first time) …"
	@$(SWIFT) build $(FLAGS) --product keyturn

test: ## Install what is missing and run the whole test suite
	@Scripts/packages dbus fprintd gnome-keyring libfido2-1 libtss2-dev libtss2-tcti-tabrmd0 oathtool postgresql \
		python3-dbusmock softhsm2 swtpm tpm2-abrmd zbar-tools
	@echo "Building the tests (a few minutes the first time) …"
	@$(SWIFT) build $(FLAGS) --build-tests
	@Scripts/tests $(SWIFT) test --skip-build --skip SimulationTests $(FEW_AT_ONCE)
	@echo "Whole sign-ins once more, on PostgreSQL …"
	@KEYTURN_TEST_DATABASE=postgresql Scripts/tests $(SWIFT) test --skip-build --filter EndToEndTests $(FEW_AT_ONCE)
	@echo "Exploring every way a session can go (a minute or two) …"
	@Scripts/tests $(SWIFT) test --skip-build --filter SimulationTests

races: ## The client library's tests under the thread sanitizer
	@SWIFT=$(SWIFT) Tests/Sanitizer/run

fuzz: packages ## Fuzz the WebAuthn decoders and the XML of SAML for a minute each; SECONDS=n takes longer
	@$(SWIFT) build $(PLAIN) --disable-index-store --package-path Tests/Fuzz --product Fuzz
	@Tests/Fuzz/seeds Tests/Fuzz/.build/corpus
	@ASAN_OPTIONS=detect_leaks=0 Tests/Fuzz/.build/debug/Fuzz -max_total_time=$(or $(SECONDS),60) -max_len=4096 \
		-timeout=10 -verbosity=0 -print_final_stats=1 -artifact_prefix=Tests/Fuzz/.build/ Tests/Fuzz/.build/corpus
	@SWIFT=$(SWIFT) SECONDS_MAX=$(or $(SECONDS),60) Tests/Fuzz/XML/run

apple: ## Code for Apple's systems: what it names against a table of facts, and run against stand-ins
	@PYTHONDONTWRITEBYTECODE=1 Tests/Apple/Facts/check
	@cd Tests/Apple/Facts && PYTHONDONTWRITEBYTECODE=1 python3 -m unittest -q test_check
	@$(SWIFT) test --package-path Tests/Apple $(PLAIN)
	@echo "Building the views and the sample app (a few minutes the first time) …"
	@$(SWIFT) test --package-path Tests/Apple/UI $(PLAIN)

model: packages ## Every way a session can go, to a wider bound than `make test` (takes long); ONLY=name runs one
	@$(SWIFT) build $(FLAGS) --build-tests
	@KEYTURN_MODEL=long KEYTURN_MODEL_ONLY="$(ONLY)" $(SWIFT) test --skip-build --filter SimulationTests

build: packages ## Release build of everything; the program is then .build/release/keyturn
	@$(SWIFT) build $(RELEASE)

release: packages versions ## Release build of the program, and of what drives it in `make interop`
	@for product in keyturn keyturn-authenticator ToolClient; do \
		$(SWIFT) build $(RELEASE) --product $$product || exit 1; \
	done

versions: ## What SwiftPM resolved, compared with Packaging/versions: a release holds what was looked at
	@$(SWIFT) package resolve >/dev/null
	@Scripts/versions

package: packages versions ## Debian package and container image of the release build, in .build/packages
	@Scripts/packages dpkg-dev
	@$(SWIFT) build $(RELEASE) --product keyturn
	@Packaging/build

packages-test: ## The package in a Debian that boots, and the image started, of .build/release/keyturn; needs root
	@Tests/Packages/run

interop: interop-programs ## Real third-party clients and browsers against a running Keyturn
	@Tests/Interop/run

interop-programs: program
	@$(SWIFT) build $(FLAGS) --product keyturn-authenticator
	@$(SWIFT) build $(FLAGS) --product ToolClient

bench: packages ## What we claim about speed, beside its limits; ONLY=name runs one, PEER=file.json adds a rival
	@$(SWIFT) build $(RELEASE)
	@PEER=$(PEER) Benchmarks/run $(ONLY)

lint: ## Formatting and style
	@$(SWIFT) format lint --strict --recursive --parallel $(SOURCES)

format: ## Format every source file in place
	@$(SWIFT) format --in-place --recursive --parallel $(SOURCES)

docs: packages ## Documentation of the libraries, in .docs
	@mkdir -p .docs
	@for target in Keyturn KeyturnUI KeyturnVerify KeyturnTerminal; do \
		KEYTURN_DOCS=1 $(SWIFT) package --allow-writing-to-directory .docs generate-documentation --target $$target \
			--disable-indexing --transform-for-static-hosting --output-path .docs/$$target || exit 1; \
	done

consumer: ## Show that an app resolves swift-crypto and nothing else of ours, and build the samples of the guides
	@Scripts/consumer

examples: packages ## Build the programs in Examples, as a project of one's own would
	@$(SWIFT) build --package-path Examples $(PLAIN)

packages:
	@Scripts/packages
