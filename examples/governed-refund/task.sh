#!/bin/sh
# One task of the refund desk: the input comes on standard input, the output goes to standard output.
# What was done is written down once per idempotency key, so that a repeat has no second effect.
set -eu
task=$1
input=$(cat)
ledger=${REFUND_LEDGER:?}
note() {
  grep -qs "^$FERMATA_JOB_IDEMPOTENCY_KEY " "$ledger" || echo "$FERMATA_JOB_IDEMPOTENCY_KEY $task" >> "$ledger"
}
case $task in
  reopen | close | reverse) note; echo '{}' ;;
  # The bank repeats the number of the card; nobody but the bank is to read it (safety.yaml, output_rules).
  pay) note; echo "{\"payment\": \"p-$FERMATA_JOB_ID\", \"receipt\": \"to card 4111 1111 1111 1111\"}" ;;
  tell)
    case $input in
      *nobody@*) echo "there is no such customer" >&2; exit 100 ;; # fatal: the whole refund is undone
    esac
    note; echo '{"sent": true}' ;;
esac
