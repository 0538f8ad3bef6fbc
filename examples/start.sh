# What the pages of docs/start begin with: the service, a project of it, and a person to log in.
# It is read into the shell, in the directory of the service:
#
#   . examples/start.sh
#
# It leaves the service in $IAM, a header with the token in $AUTH, and the id of a project in $PROJECT.
# Where one of them is wrong, it says so and ends with 1.

IAM=${IAM_URL:-http://localhost:8080}
AUTH="authorization: Bearer ${IAM_TOKEN:-$(cat data/admin.token)}"
# The pages write secrets into files.
umask 077

# field NAME prints the text of this name in $ANSWER, or what was answered instead.
field() {
  case $ANSWER in
    *"\"$1\":\""*) printf '%s' "$ANSWER" | sed 's/.*"'"$1"'":"\([^"]*\)".*/\1/' ;;
    *) printf '%s\n' "$ANSWER" >&2 && return 1 ;;
  esac
}

ANSWER=$(curl --silent "$IAM/.well-known/openid-configuration")
if [ "$(field issuer 2> /dev/null)" != "$IAM" ]; then
  echo "No service has the issuer $IAM: set IAM_URL to the issuer that the service prints at its start." >&2
  return 1
fi
# The oldest one, which the first start makes.
ANSWER=$(curl --silent --show-error "$IAM/management/v1/projects/_search" --header "$AUTH" \
  --json '{"query": {"limit": 1, "asc": true}}')
if ! PROJECT=$(field id); then
  echo "The token is refused: set IAM_TOKEN, or go to the directory of the service." >&2
  return 1
fi

# A person who is there already is refused, and stays as they are.
ANSWER=$(curl --silent "$IAM/management/v1/users/human/_import" --header "$AUTH" \
  --json '{"userName": "ada", "profile": {"firstName": "Ada", "lastName": "Lovelace"},
    "email": {"email": "ada@example.com", "isEmailVerified": true},
    "password": "correct horse battery"}')
if field userId > /dev/null 2>&1; then
  echo "Log in as ada, with the password \"correct horse battery\"."
else
  echo "The user ada exists already: log in with the password that this user has."
fi
