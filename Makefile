.DEFAULT_GOAL := help
.PHONY: help run test faults forge crash simulate fuzz abuse reach bench profile generate lint format clean

# npm writes this file at the end of every install, so it says whether one is due.
INSTALLED := node_modules/.package-lock.json

help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(INSTALLED) ## Install what is missing and serve on http://127.0.0.1:8080
	@npm run --silent start

test: $(INSTALLED) ## Install what is missing and run every check
	@npm test

faults: $(INSTALLED) ## Plant faults in the store and around it, and show which case finds each
	@npm run --silent faults

fuzz: $(INSTALLED) ## Ask a million odd things; ARGS="--requests N --seed S" says how many and which
	@npm run --silent fuzz -- $(ARGS)

forge: $(INSTALLED) ## Forge what lies in a log, without its key, and show what comes of it
	@npm run --silent forge

crash: $(INSTALLED) ## Kill it and fail its disk, and look for what is lost; ARGS="--help" says how
	@npm run --silent crash -- $(ARGS)

simulate: $(INSTALLED) ## Simulate nodes, and all that may befall them; ARGS="--help" says how often
	@npm run --silent simulate -- $(ARGS)

abuse: $(INSTALLED) ## Abuse it in all ways at once while honest callers work; ARGS="--seconds N"
	@npm run --silent abuse -- $(ARGS)

reach: $(INSTALLED) ## Choose anew which files "make test" leaves to the long form
	@npm run --silent reach -- $(ARGS)

bench: $(INSTALLED) ## Measure it, about an hour; ARGS="--help" says what can be chosen
	@npm run --silent bench -- $(ARGS)

profile: $(INSTALLED) ## Show where the time of a call goes
	@npm run --silent profile -- $(ARGS)

generate: $(INSTALLED) ## Make gen/, contract.txt and the tables of docs/ anew
	@npm run --silent generate

lint: $(INSTALLED) ## Check types, style and the Protobuf definitions
	@npm run --silent check:types && npm run --silent lint

format: $(INSTALLED) ## Rewrite sources in the house format
	@npm run --silent format

clean: ## Remove what was installed (data/ stays)
	rm -rf node_modules bench/peers/node_modules coverage

# Nothing needs its install script; some would look for Python and a compiler.
$(INSTALLED): package-lock.json .npmrc
	npm ci --ignore-scripts
	@deploy/link-node.sh
	@touch $@
