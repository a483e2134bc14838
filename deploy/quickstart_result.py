"""Puts the numbers of a quick-start run together: a table for the person, result.json for programs.

Reads eval-before.json and eval-after.json (dflash eval --json) and run/metrics.jsonl below --folder, writes result.json
there. lossless holds for both evaluations, near_ties counts those of both.
"""

import argparse
import json
import pathlib
import sys

EXPECTED_ACCEPTANCE_LENGTH = 3.3  # a run of these settings gives more (deploy/README.md)


def rate(rows, key):
    """Mean per second over the run: each step's rate weighted with its seconds."""
    seconds = sum(row["step_s"] for row in rows)
    return sum(row[key] * row["step_s"] for row in rows if row[key] is not None) / seconds


def assemble(before, after, rows, arguments):
    return {
        "acceptance_length_before": before["acceptance_length"],
        "acceptance_length_after": after["acceptance_length"],
        "acceptance_length_after_by_kind": {
            kind: counts["acceptance_length"] for kind, counts in after["by_kind"].items()
        },
        "train_wall_s": arguments.train_wall_ns / 1e9,
        "steps": rows[-1]["step"],
        "tokens_per_s": rate(rows, "tokens_per_s"),
        "supervised_positions_per_s": rate(rows, "supervised_positions_per_s"),
        "lossless": before["lossless"] and after["lossless"],
        "near_ties": before["near_ties"] + after["near_ties"],
        "eval_prompts": after["prompts"],
        "target": arguments.target,
        "drafter": arguments.drafter,
    }


def show(before, after, result):
    print(f"\n{'acceptance length':<20}{'untrained':>12}{'trained':>12}   (tokens per target pass)")
    for kind, counts in after["by_kind"].items():
        print(f"  {kind:<18}{before['by_kind'][kind]['acceptance_length']:>12.2f}{counts['acceptance_length']:>12.2f}")
    print(f"  {'all prompts':<18}{before['acceptance_length']:>12.2f}{after['acceptance_length']:>12.2f}")
    print(f"{'accepted tokens':<20}{before['accepted_tokens']:>12}{after['accepted_tokens']:>12}")
    print(f"{'target passes':<20}{before['target_passes']:>12}{after['target_passes']:>12}\n")
    same = "equal" if result["lossless"] else "DO NOT equal"
    print(f"The texts {same} plain greedy decoding ({result['near_ties']} near ties).")
    print(
        f"Trained {result['steps']} steps in {result['train_wall_s']:.0f} s: {result['tokens_per_s']:.0f} tokens/s, "
        f"{result['supervised_positions_per_s']:.0f} supervised positions/s."
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--train-wall-ns", type=int, required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--drafter", required=True)
    arguments = parser.parse_args()

    before = json.loads((arguments.folder / "eval-before.json").read_text())
    after = json.loads((arguments.folder / "eval-after.json").read_text())
    rows = [json.loads(line) for line in (arguments.folder / "run/metrics.jsonl").read_text().splitlines()]
    result = assemble(before, after, rows, arguments)
    (arguments.folder / "result.json").write_text(json.dumps(result, indent=2) + "\n")
    show(before, after, result)
    if not result["lossless"]:
        sys.exit("quickstart: texts differ from plain greedy decoding: something is wrong with this build")
    if result["acceptance_length_after"] < EXPECTED_ACCEPTANCE_LENGTH:
        sys.exit(f"quickstart: the drafter accepts less than the {EXPECTED_ACCEPTANCE_LENGTH} tokens per pass it should")


if __name__ == "__main__":
    main()
