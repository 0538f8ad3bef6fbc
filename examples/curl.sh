#!/bin/sh
# The life of a project with curl alone: creates it and an application in it, lists, takes the
# application out of use, and removes all of it. Stops at the first refusal and shows it.
#
#   sh examples/curl.sh
#
# A name may follow, since the organization has each name of a project only once.
set -eu

: "${IAM_TOKEN:?says who calls: export IAM_TOKEN=\$(cat data/admin.token)}"
url=${IAM_URL:-http://127.0.0.1:8080}
name=${1:-Made with curl}

# call VERB PATH [BODY] makes the call, shows it, and leaves the answer in $answer.
call() {
  printf '%s %s %s\n' "$1" "$2" "${3-}"
  # The token goes by standard input: whoever lists the processes of a machine sees the arguments.
  answer=$(
    printf 'authorization: Bearer %s\n' "$IAM_TOKEN" |
      curl --silent --show-error --fail-with-body --max-time 30 --header @- \
        --header 'content-type: application/json' --request "$1" ${3+--data "$3"} "$url$2"
  ) || {
    printf '%s\n' "$answer" >&2
    exit 1
  }
  printf '  %s\n' "$answer"
}

# field NAME prints the first text of this name in the answer. JSON in earnest is for jq.
field() {
  rest=${answer#*\"$1\":\"}
  printf '%s\n' "${rest%%\"*}"
}

# quoted TEXT prints it as JSON.
quoted() {
  printf '"%s"' "$(printf %s "$1" | sed 's/[\\"]/\\&/g')"
}

call POST /management/v1/projects "{\"name\": $(quoted "$name")}"
project=/management/v1/projects/$(field id)
call POST "$project/apps/api" '{"name": "Reporting"}'
app=$project/apps/$(field appId)
call POST "$project/apps/_search" '{"query": {"limit": 10}}'
call POST "$app/_deactivate" '{}'
call DELETE "$app"
call DELETE "$project"
