"""Approval rules: external actions match, however wrapped; reading and printing do not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.policy.approval.defaults import DEFAULT_RULES
from clew.policy.approval.rules import UNREADABLE, ApprovalRule, RuleKind, parse_rules, rule_for

RULES = parse_rules(DEFAULT_RULES)


def kind_of(line: str) -> str | None:
    rule = rule_for("Bash", {"command": line}, RULES)
    return None if rule is None else rule.kind


@pytest.mark.parametrize(
    "line",
    [
        "git push",
        "cd x && git push",
        "git -C dir push",
        "git --git-dir .git -c a.b=c push origin main",
        "/usr/bin/git push",
        r"\git push",
        "'git' \"push\"",
        "sudo -u bob git push",
        "env X=1 git push",
        "X=1 git push",
        "nohup git push &",
        "timeout -k 5 60 git push",
        "bash -lc 'git push'",
        "bash -c \"cd a; sh -c 'git push'\"",
        "eval 'git push'",
        "su bob -c 'git push'",
        "ssh web1 'git push'",
        "docker exec -it box git push",
        "echo a; git push",
        "false || git push",
        "true | git push",
        "(cd a; git push)",
        "{ git push; }",
        "if true; then git push; fi",
        "for i in 1 2; do git push; done",
        "while ! git push; do sleep 1; done",
        "echo $(git push)",
        'echo "done: $(cd a && git push)"',
        "X=`git push`",
        "diff <(git push) x",
        "find . -name x -exec git push \\;",
        "ls | xargs -n1 git push",
        "git commit -m \"$(cat <<'EOF'\nDon't (stop\nEOF\n)\" && git push",
        "bash <<EOF\ngit push\nEOF",
        "bash <<< 'git push'",
        "echo 'git push' | sh",
        "CMD='git push'; $CMD",
        "V=push; git $V",
        "git push --dry-run; git push",
        "git \\\n  push",
        "git push --dry-run=false",
    ],
)
def test_a_push_is_seen_through_whatever_is_around_it(line: str) -> None:
    assert kind_of(line) == RuleKind.PUSH


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("npm publish", RuleKind.PUBLISH),
        ("npm --prefix x publish", RuleKind.PUBLISH),
        ("pnpm -C x publish", RuleKind.PUBLISH),
        ("python -m twine upload dist/*", RuleKind.PUBLISH),
        ("python3 -m twine upload -r testpypi dist/*", RuleKind.PUBLISH),
        ("uvx twine upload dist/*", RuleKind.PUBLISH),
        ("poetry publish --build", RuleKind.PUBLISH),
        ("cargo publish -p x", RuleKind.PUBLISH),
        ("docker push a/b:1", RuleKind.PUBLISH),
        ("docker buildx build --push .", RuleKind.PUBLISH),
        ("terraform apply", RuleKind.DEPLOY),
        ("terraform -chdir=x apply -auto-approve", RuleKind.DEPLOY),
        ("kubectl apply -f x", RuleKind.DEPLOY),
        ("kubectl -n prod delete pod x", RuleKind.DEPLOY),
        ("kubectl exec pod -- rm -rf /srv", RuleKind.DEPLOY),
        ("kubectl rollout restart deploy/web", RuleKind.DEPLOY),
        ("kubectl get pods && kubectl delete pod x", RuleKind.DEPLOY),
        ("kubectl apply --dry-run=none -f x", RuleKind.DEPLOY),
        ("helm upgrade web ./c", RuleKind.DEPLOY),
        ("ansible-playbook site.yml", RuleKind.DEPLOY),
        ("npx vercel --prod", RuleKind.DEPLOY),
        ("vercel", RuleKind.DEPLOY),
        ("fly deploy", RuleKind.DEPLOY),
        ("make deploy", RuleKind.DEPLOY),
        ("npm run deploy:prod", RuleKind.DEPLOY),
        ("./scripts/deploy.sh", RuleKind.DEPLOY),
        ("bash scripts/deploy-web.sh prod", RuleKind.DEPLOY),
        ("rsync -a dist/ web:/srv", RuleKind.DEPLOY),
        ("aws s3 rm s3://x/y", RuleKind.CLOUD),
        ("aws ec2 terminate-instances --instance-ids i-1", RuleKind.CLOUD),
        ("aws --profile x --region y lambda invoke --function-name f o", RuleKind.CLOUD),
        ("gcloud run deploy web", RuleKind.CLOUD),
        ("az vm delete -n x", RuleKind.CLOUD),
        ("psql -c 'delete from x'", RuleKind.DATABASE),
        ("psql -f migrate.sql", RuleKind.DATABASE),
        ("psql <<SQL\nDROP TABLE x;\nSQL", RuleKind.DATABASE),
        ("echo 'drop table x' | psql", RuleKind.DATABASE),
        ("psql < migrate.sql", RuleKind.DATABASE),
        ("zcat dump.gz | mysql shop", RuleKind.DATABASE),
        ("curl -X POST https://x.org", RuleKind.HTTP_WRITE),
        ("curl -XDELETE https://x.org", RuleKind.HTTP_WRITE),
        ("curl --request put https://x.org", RuleKind.HTTP_WRITE),
        ("curl -sd a=1 https://x.org", RuleKind.HTTP_WRITE),
        ("curl --json '{}' https://x.org", RuleKind.HTTP_WRITE),
        ("curl -F a=@b https://x.org", RuleKind.HTTP_WRITE),
        ("curl -G -X POST https://x.org", RuleKind.HTTP_WRITE),
        ("wget --post-data a=1 https://x", RuleKind.HTTP_WRITE),
        ("http POST x.org a=1", RuleKind.HTTP_WRITE),
        ("gh api -X POST repos/a/b", RuleKind.HTTP_WRITE),
        ("mail -s hi bob@x.org < body", RuleKind.MESSAGE),
        ("cat x | mail bob@x.org", RuleKind.MESSAGE),
        ("aws ses send-email --to a@x.org", RuleKind.MESSAGE),
        ("git send-email *.patch", RuleKind.MESSAGE),
        ("stripe refunds create --charge ch_1", RuleKind.PAYMENT),
        ("gh pr create -t x", RuleKind.PUSH),
        ("gh pr merge 5 --squash", RuleKind.PUSH),
    ],
)
def test_commands_that_reach_outside_have_a_kind(line: str, kind: str | None) -> None:
    assert kind_of(line) == kind


@pytest.mark.parametrize(
    "line",
    [
        'echo "git push"',
        "grep 'npm publish' README.md",
        "printf '%s' 'curl -X POST x'",
        "rg 'terraform apply' .",
        "git commit -m 'git push'",
        "git log --grep push",
        "git stash push",
        "git help push",
        "git push --dry-run",
        "git push -n origin main",
        "man git-push",
        "alias gp='git push'",
        "echo hi # git push",
        "cat <<EOF > notes\ngit push\nEOF",
        "cat scripts/deploy.sh",
        "vim deploy.sh",
        "npm publish --dry-run",
        "npm publish --help",
        "npm install",
        "npm run build",
        "docker build .",
        "kubectl get pods",
        "kubectl -n prod get pods -o yaml",
        "kubectl apply --dry-run=client -f x",
        "kubectl rollout status deploy/web",
        "kubectl config use-context prod",
        "which kubectl",
        "terraform plan",
        "terraform init -upgrade",
        "helm list",
        "helm upgrade web ./c --dry-run",
        "ansible-playbook site.yml --check",
        "curl https://x",
        "curl -G -d a=1 https://x",
        "curl -X GET https://x",
        "curl -I https://x",
        "wget https://x",
        "psql -c 'select * from updates'",
        "echo 'select 1' | psql",
        "aws s3 ls",
        "aws s3 sync . s3://x --dryrun",
        "aws ec2 describe-instances",
        "gcloud compute instances list",
        "gh pr view 5",
        "gh api repos/a/b",
        "stripe charges list",
        "rsync -a a/ b/",
        "make test",
        "python deploy_test.py",
        "",
    ],
)
def test_looking_and_talking_need_no_yes(line: str) -> None:
    assert kind_of(line) is None


@pytest.mark.parametrize(
    ("tool", "arguments", "kind"),
    [
        ("mcp__stripe__create_payment", {}, RuleKind.PAYMENT),
        ("mcp__stripe__create_refund", {"charge": "ch_1"}, RuleKind.PAYMENT),
        ("refund_order", {}, RuleKind.PAYMENT),
        ("book_flight", {}, RuleKind.PAYMENT),
        ("mcp__github__create_pull_request", {}, RuleKind.PUSH),
        ("mcp__github__merge_pull_request", {}, RuleKind.PUSH),
        ("mcp__github__push_files", {"owner": "a"}, RuleKind.PUSH),
        ("mcp__linear__create_issue", {}, RuleKind.PUSH),
        ("send_email", {}, RuleKind.MESSAGE),
        ("sendEmail", {}, RuleKind.MESSAGE),
        ("mcp__gmail__send_message", {}, RuleKind.MESSAGE),
        ("mcp__slack__post_message", {}, RuleKind.MESSAGE),
        ("mcp__twilio__send_sms", {}, RuleKind.MESSAGE),
        ("mcp__calendar__create_event", {}, RuleKind.MESSAGE),
        ("deploy", {}, RuleKind.DEPLOY),
        ("mcp__vercel__deploy_to_vercel", {}, RuleKind.DEPLOY),
        ("mcp__aws__terminate_instance", {}, RuleKind.CLOUD),
        ("delete_user", {}, RuleKind.CLOUD),
        ("mcp__postgres__execute_sql", {"query": "DELETE FROM x"}, RuleKind.DATABASE),
        ("WebFetch", {"url": "https://x", "method": "POST"}, RuleKind.HTTP_WRITE),
        ("http_request", {"method": "delete"}, RuleKind.HTTP_WRITE),
        ("run_terminal_cmd", {"command": "git push"}, RuleKind.PUSH),
        ("local_shell", {"command": ["bash", "-lc", "git push"]}, RuleKind.PUSH),
        ("Bash", "git push", RuleKind.PUSH),
        ("", "git push", RuleKind.PUSH),
        ("", "echo git push", None),
        ("Read", {"file_path": "send_email.py"}, None),
        ("Write", {"content": "git push"}, None),
        ("Grep", {"pattern": "git push"}, None),
        ("TodoWrite", {}, None),
        ("Task", {"prompt": "send the email"}, None),
        ("WebFetch", {"url": "https://x", "prompt": "POST it"}, None),
        ("http_request", {"method": "GET"}, None),
        ("mcp__stripe__list_payments", {}, None),
        ("mcp__github__get_pull_request", {}, None),
        ("mcp__github__search_issues", {}, None),
        ("mcp__slack__list_channels", {}, None),
        ("mcp__gmail__draft_email", {}, None),
        ("read_email", {}, None),
        ("get_deployment_status", {}, None),
        ("mcp__postgres__query", {"sql": "select 1"}, None),
        ("mcp__filesystem__write_file", {"path": "a"}, None),
        ("mcp__filesystem__delete_file", {"path": "a"}, None),
        ("", None, None),
    ],
)
def test_tools_are_judged_by_their_names_and_arguments(
    tool: str, arguments: object, kind: str | None
) -> None:
    rule = rule_for(tool, arguments, RULES)

    assert (None if rule is None else rule.kind) == kind


# --- rules people write ---------------------------------------------------------------------------


def test_the_shipped_rules_say_why_and_read_back_the_same() -> None:
    assert all(rule.why and rule.kind in RuleKind.ALL for rule in RULES)
    assert parse_rules("\n".join(map(str, RULES))) == RULES


def test_a_rule_is_one_line_that_reads_back() -> None:
    rule = ApprovalRule(
        "command git push unless --dry-run", RuleKind.PUSH, True, "others may have fetched it"
    )

    assert str(rule) == (
        "command git push unless --dry-run  # push, reversible: others may have fetched it"
    )
    assert parse_rules(str(rule)) == (rule,)


def test_a_rule_needs_no_words_behind_it() -> None:
    assert parse_rules("\n# ours\n  command  ship   it \n") == (ApprovalRule("command ship it"),)
    assert str(ApprovalRule("command ship it")) == "command ship it"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("git push", "A rule must start with 'command' or 'tool', in line 2: 'git push'"),
        ("command", "No pattern after 'command', in line 2: 'command'"),
        ("command x with", "No condition after 'with', in line 2: 'command x with'"),
        ("tool x unless a or", "No condition after 'unless', in line 2: 'tool x unless a or'"),
        ("command x with text", "Exactly one list of words is required after 'text', in line 2: 'command x with text'"),
        ("command x  # harm: y", f"Unknown kind, not one of {', '.join(RuleKind.ALL)}, in line 2: 'command x  # harm: y'"),
        ("command x  # push, soft: y", "Only 'reversible' may follow the kind, in line 2: 'command x  # push, soft: y'"),
        ("command x with -d a b", "Only one list of values is allowed for an option: '-d a b', in line 2: 'command x with -d a b'"),
        ("tool x with method a b", "Only one list of values is allowed for an argument: 'method a b', in line 2: 'tool x with method a b'"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_rule_is_named(line: str, said: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared whole
        parse_rules(f"command ok\n{line}\ncommand never reached")

    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("rule", "line", "asks"),
    [
        ("command ship", "ship it", True),
        ("command ship it|them", "ship them now", True),
        ("command ship it|them", "ship us", False),
        ("command ship* it", "shipper it", True),
        ("command ship with -f", "ship --force", False),
        ("command git push with -f", "git push --force", True),
        ("command git push with --force", "git push -f", True),
        ("command ship with --to prod*", "ship --to production", True),
        ("command ship with --to prod*", "ship --to=dev", False),
        ("command ship with --to prod or --all", "ship --all", True),
        ("command ship unless --to dev", "ship --to dev", False),
        ("command ship with into *:*", "ship a web:/b", True),
        ("command ship with into *:*", "ship web:/b a", False),
        ("command ship with word now", "ship it right now", True),
        ("command ship with text now", "ship 'it now'", True),
        ("command ship with text now", "ship it known", False),
        ("command ship", "./ship it", True),
        ("command ship", "tools/ship it", True),
    ],
)
def test_a_rule_means_what_it_says(rule: str, line: str, asks: bool) -> None:
    found = rule_for("Bash", {"command": line}, parse_rules(rule))

    assert (found is not None) == asks


@pytest.mark.parametrize(
    ("rule", "tool", "asks"),
    [
        ("tool *send_email*", "mcp__x__send_email_now", True),
        ("tool *send_email*", "resend_mail", False),
        ("tool ship|send parcel", "send_parcels", True),
        ("tool ship parcel", "parcel_ship", True),
        ("tool ship parcel", "ship_it", False),
        ("tool ship unless trial", "ship_trial", False),
        ("tool ship", "get_ship", False),
    ],
)
def test_a_rule_about_tools_looks_at_words(rule: str, tool: str, asks: bool) -> None:
    assert (rule_for(tool, {}, parse_rules(rule)) is not None) == asks


def test_the_first_rule_that_asks_is_the_answer() -> None:
    first, second = parse_rules("command ship it\ncommand ship")

    assert rule_for("Bash", {"command": "ship it"}, (first, second)) == first
    assert rule_for("Bash", {"command": "ship us; ship it"}, (first, second)) == second


# --- hostile lines --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "a;" * 500_000 + "git push",
        "$(" * 300_000 + "git push",
        "$(a)" * 100_000 + "; git push",
        "x" * 2_000_000 + "; git push",
        "eval " * 12 + "git push",
        "echo " + "a " * 100_000 + "; git push",
    ],
    ids=lambda line: line[:8],
)
def test_what_cannot_be_looked_through_needs_a_yes(line: str) -> None:
    assert rule_for("Bash", {"command": line}, RULES) == UNREADABLE


@settings(derandomize=True, max_examples=300)
@given(line=st.text("gitpush '\"\\$(){}`|&;<>\n=-#/", max_size=60))
def test_any_line_can_be_asked_about(line: str) -> None:
    assert kind_of(line) is None or "push" in line.replace("'", "").replace('"', "")
