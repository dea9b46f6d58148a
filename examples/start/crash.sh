npm run test:crash -- --trials 200 --seed 7           # a seed repeats faults, phases, victims and moments
npm run test:crash -- --faults kill-worker,partition --phases run,paid
npm run test:crash -- --trials 500 --output a.jsonl   # several at once, each with a file of its own
npm run test:crash -- --report a.jsonl --report b.jsonl  # one table of their trials
npm run test:crash:checker                            # six builds that are broken on purpose: each must be caught
