#!/bin/sh
# The life of a project over gRPC with buf alone: no schema is at hand, the service tells it by
# reflection. Creates the project and an application in it, lists, takes the application out of use
# and removes all of it; then follows for some seconds what happened to the project. Stops at the
# first refusal and shows it.
#
#   sh examples/buf-curl.sh
#
# A name may follow, since the organization has each name of a project only once.
set -eu

: "${IAM_TOKEN:?says who calls: export IAM_TOKEN=\$(cat data/admin.token)}"
url=${IAM_URL:-http://127.0.0.1:8080}
name=${1:-Made with buf}
# This project brings buf, and the Node that starts it.
PATH=$(dirname "$0")/../node_modules/.bin:$PATH
management=iam.management.v1.ManagementService

# send METHOD BODY [FLAG...] makes the call. The token goes by standard input: whoever lists the
# processes of a machine sees the arguments.
send() {
  method=$1 body=$2
  shift 2
  printf '%s %s\n' "$method" "$body" >&2
  printf 'authorization: Bearer %s\n' "$IAM_TOKEN" |
    buf curl --protocol grpc --header @- --data "$body" "$@" "$url/$method"
}

# call METHOD BODY makes the call, shows the answer, and leaves it in $answer.
call() {
  answer=$(send "$@")
  printf '%s\n' "$answer"
}

# field NAME prints the first text of this name in the answer. JSON in earnest is for jq.
field() {
  rest=${answer#*\"$1\": \"}
  printf '%s\n' "${rest%%\"*}"
}

# quoted TEXT prints it as JSON.
quoted() {
  printf '"%s"' "$(printf %s "$1" | sed 's/[\\"]/\\&/g')"
}

call $management/AddProject "{\"name\": $(quoted "$name")}"
project=$(field id)
call $management/AddAPIApp "{\"projectId\": \"$project\", \"name\": \"Reporting\"}"
app=$(field appId)
call $management/ListApps "{\"projectId\": \"$project\", \"query\": {\"limit\": 10}}"
call $management/DeactivateApp "{\"projectId\": \"$project\", \"appId\": \"$app\"}"
call $management/RemoveProject "{\"id\": \"$project\"}"

# A watch goes on until its caller ends it, here by a deadline: buf then ends with 32.
events=iam.event.v1.EventService/WatchEvents
send $events "{\"aggregateId\": \"$project\"}" --timeout 3s || [ $? -eq 32 ]
