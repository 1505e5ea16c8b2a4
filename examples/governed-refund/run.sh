#!/bin/sh
# Plays the whole example on a server of its own: deny, remediate, constrain, redact, approve, undo.
# Usage: run.sh [PATH-TO-FERMATA]; it says what it sees and fails when that is not what it should see.
set -eu
fermata=${1:-fermata}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
export REFUND_LEDGER="$work/ledger"
server= worker=
finish() {
  for process in $worker $server; do kill "$process" 2> "$work/kill" || true; done
  wait
  rm -rf "$work"
}
trap finish EXIT

say() { printf '%s\n' "$*"; }
# field NAME: the first text or number of that name in the JSON on standard input.
field() { grep -o "\"$1\":\"\{0,1\}[^\",}]*" | head -n 1 | sed "s/^\"$1\":\"\{0,1\}//"; }
expect() { # expect WHAT WANTED GOT
  say "$1: $3"
  [ "$2" = "$3" ] || { say "expected: $2"; exit 1; }
}
# until_is WANTED COMMAND…: asks until the command answers that, ten seconds at most.
until_is() {
  wanted=$1; shift
  tries=0
  while got=$("$@"); [ "$got" != "$wanted" ]; do
    tries=$((tries + 1))
    [ $tries -le 100 ] || { say "still '$got', not '$wanted': $*"; exit 1; }
    sleep 0.1
  done
}

"$fermata" serve --data "$work/data" --listen 127.0.0.1:0 --policy-file "$here/safety.yaml" \
  2> "$work/log" > "$work/out" &
server=$!
url=
tries=0
while [ -z "$url" ]; do
  url=$(sed -n 's|.*\(http://127\.0\.0\.1:[0-9]*\).*|\1|p' "$work/log" "$work/out" | head -n 1)
  tries=$((tries + 1))
  [ $tries -le 100 ] || { cat "$work/log"; exit 1; }
  sleep 0.1
done
export FERMATA_SERVER="$url"
"$fermata" worker --slots 4 --task order.reopen="$here/task.sh reopen" \
  --task order.close="$here/task.sh close" --task refund.card="$here/task.sh pay" \
  --task refund.reverse="$here/task.sh reverse" --task mail.send="$here/task.sh tell" \
  2> "$work/worker-log" &
worker=$!

say "1. Denied by a rule, and submitted the way the rule proposes"
denied=$("$fermata" jobs submit refund.crypto --input '{"order":7}' --job '{"labels":{"amount":"20"}}' --json)
expect "state" DENIED "$(say "$denied" | field state)"
id=$(say "$denied" | field id)
expect "waits in the dead letters" 1 "$("$fermata" dlq stats --json | field open)"
made=$("$fermata" jobs remediate "$id" to-card --json | field id)
job_state() { "$fermata" jobs show "$1" --json | field state; }
until_is SUCCEEDED job_state "$made"
expect "dead letters left" 0 "$("$fermata" dlq stats --json | field open)"

say "2. Within bounds: a small refund is allowed with constraints"
small=$("$fermata" jobs submit refund.card --input '{"order":8}' \
  --job '{"labels":{"amount":"20"},"run_timeout_ms":60000}' --wait 10s --json)
expect "state" SUCCEEDED "$(say "$small" | field state)"
id=$(say "$small" | field id)
expect "longest it may run" 5000 "$("$fermata" jobs show "$id" --json | field max_runtime_ms)"

say "3. What the bank says of the card is taken out before anybody can read it"
result=$("$fermata" jobs show "$id" --json)
expect "receipt" "to card [REDACTED]" "$(say "$result" | field receipt)"
expect "decided by" no-card-numbers "$(say "$result" | grep -o '"output_policy":{.*' | field rule_id)"
if say "$result" | grep -q 4111; then say "the number is still there"; exit 1; fi

say "4. A large one waits for a person"
run=$("$fermata" start "$here/refund.json" --set order=9 --set amount=2500 --set to=ada@example.org --json | field id)
pending() { "$fermata" approve --json | field id; }
tries=0
while approval=$(pending); [ -z "$approval" ]; do
  tries=$((tries + 1))
  [ $tries -le 100 ] || { say "nobody is asked"; exit 1; }
  sleep 0.1
done
say "asked: $approval"
"$fermata" approve "$approval" --note "checked with the customer"
"$fermata" watch "$run" > "$work/watched" 2>&1
run_status() { "$fermata" show "$1" --json | field status; }
expect "execution" completed "$(run_status "$run")"

say "5. A fatal failure undoes what was done, last first"
: > "$REFUND_LEDGER"
run=$("$fermata" start "$here/refund.json" --set order=10 --set amount=30 --set to=nobody@example.org --json | field id)
until_is failed run_status "$run"
expect "why it ended" rolled_back "$("$fermata" show "$run" --json | field exit_reason)"
expect "done and undone" "reopen pay reverse close" "$(cut -d' ' -f2 "$REFUND_LEDGER" | tr '\n' ' ' | sed 's/ $//')"
say "all as it should be"
