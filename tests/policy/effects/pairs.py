"""Labelled pairs of acts: whether the second repeats the first."""

from __future__ import annotations

from clew.model.effect import Act
from tests.policy.effects.kit import Pair, call, different, run, same, say

UUID_A = "550e8400-e29b-41d4-a716-446655440000"
UUID_B = "6ba7b810-9dad-41d1-80b4-00c04fd430c8"
ULID_A = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
ULID_B = "01BX5ZZKBKACTAV9WEVGEMMVRZ"
NANO_A = "V1StGXR8_Z5jdHi6B-myT"
NANO_B = "kQ0a3xYp-7RmW2fVb9_sL"
HEX_A = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
HEX_B = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"
API = "https://api.example.com/v1"

_IDS_AND_TIMES = (
    same(
        call("charge", amount=100, customer="cus_9s6XKzkNRiz8i3", idempotency_key=UUID_A),
        call("charge", amount=100, customer="cus_9s6XKzkNRiz8i3", idempotency_key=UUID_B),
        "an idempotency key",
    ),
    same(
        call("notify", text="hi", requestId=ULID_A),
        call("notify", text="hi", requestId=ULID_B),
        "a ULID",
    ),
    same(
        call("notify", text="hi", nonce=NANO_A), call("notify", text="hi", nonce=NANO_B), "a nanoid"
    ),
    same(
        call("notify", text="hi", nonce=HEX_A),
        call("notify", text="hi", nonce=HEX_B),
        "a digest as a nonce",
    ),
    same(
        call("notify", text="hi", trace_id="1"),
        call("notify", text="hi", trace_id="2"),
        "short, but a trace id",
    ),
    same(
        call("notify", text="hi", sent_at="2026-06-10T14:03:22Z"),
        call("notify", text="hi", sent_at="Wed, 10 Jun 2026 15:00:00 +0200"),
        "when it was sent, ISO and RFC 2822",
    ),
    same(
        call("notify", text="hi", timestamp=1781100202),
        call("notify", text="hi", timestamp=1781100999123),
        "epoch, seconds and milliseconds",
    ),
    same(
        call("notify", text="hi", createdAt=1781100202.5),
        call("notify", text="hi"),
        "a time that is not given",
    ),
    same(
        call(
            "notify",
            text="hi",
            context={
                "span": "a",
                "session_id": "s1",
                "traceparent": f"00-{HEX_A[:32]}-{HEX_A[:16]}-01",
            },
        ),
        call("notify", text="hi", context={"session_id": "s2", "span": "a"}),
        "ids of the session below",
    ),
    same(
        call("create_user", name="Bo", id=UUID_A),
        call("create_user", name="Bo", id=UUID_B),
        "an id that the client made up for something new",
    ),
    same(
        call("notify", ref=UUID_A, text="hi"),
        call("notify", ref=UUID_B, text="hi"),
        "a uuid as a reference",
    ),
    same(
        say(f"deploy web v3 (request {UUID_A})"),
        say(f"deploy web v3 (request {UUID_B})"),
        "a request in a sentence",
    ),
    same(say(f"deploy web v3 [{ULID_A}]"), say("deploy web v3"), "a ULID in brackets, or none"),
    same(
        say("deploy web v3 at 2026-06-10T14:03:22Z"),
        say("deploy web v3 at 2026-06-10T15:10:41Z"),
        "the time at which it was said",
    ),
    same(say("deploy web v3 1781100202"), say("deploy web v3 1781100777"), "an epoch"),
    same(say("deploy web v3, attempt 2"), say("deploy web v3"), "which attempt"),
    same(say("Retry: deploy web v3"), say("deploy  web v3."), "a retry, a full stop, blanks"),
    same(say("please deploy web v3 again"), say("Deploy web v3"), "politeness"),
    same(
        run(f"deploy web v3 --request-id {UUID_A}"),
        run(f"deploy web v3 --request-id={UUID_B}"),
        "a flag that names the request",
    ),
    same(
        run("deploy --timestamp 2026-06-10T14:03:22 web"),
        run("deploy --timestamp '2026-06-10 15:03:22' web"),
        "a flag that names the time",
    ),
    same(
        run("deploy web --nonce=$RANDOM"), run("deploy web --nonce 4711"), "the shell's own noise"
    ),
    same(
        run("deploy web --ref $(uuidgen)"),
        run(f"deploy web --ref {UUID_A}"),
        "a uuid from the shell",
    ),
    same(
        run("make deploy ENV=prod BUILD_ID=17811"),
        run("make deploy BUILD_ID=17812 ENV=prod"),
        "the number of a build",
    ),
    same(
        run("REQUEST_ID=1 ENV=prod ./deploy.sh"),
        run("ENV=prod REQUEST_ID=2 ./deploy.sh"),
        "in the environment",
    ),
    same(
        call(
            "send_email",
            to="a@x.org",
            subject="Report",
            body=f"All good.\nGenerated: 2026-06-10 14:03:22\nRef: {UUID_A}\n",
        ),
        call(
            "send_email",
            to="a@x.org",
            subject="Report",
            body=f"All good.\nGenerated: 2026-06-11 09:13:07\nRef: {UUID_B}\n",
        ),
        "the time and the id in a body",
    ),
    same(
        call("send_email", to="a@x.org", subject="Report", body="All good.   \r\n"),
        call("send_email", to="a@x.org", subject="Report", body="All good."),
        "ends of lines",
    ),
    same(
        call("upload", file="/tmp/tmp.Ab12Cd34Ef/report.pdf", to="s3://b/report.pdf"),
        call("upload", file="/tmp/tmp.Zz98Yy76Xx/report.pdf", to="s3://b/report.pdf"),
        "a temporary directory",
    ),
    same(
        run(f"curl -d @/tmp/body-a8f3e1.json {API}/orders"),
        run(f"curl -d @/tmp/body-77c0b2.json {API}/orders"),
        "a temporary file",
    ),
    same(
        run("docker run -d --name worker-3f9a2c17 acme/worker:2"),
        run("docker run -d --name worker-b81e0d44 acme/worker:2"),
        "a random suffix of something new",
    ),
    same(
        call("create_job", name="backup-1781100202", source="db"),
        call("create_job", name="backup-1781109999", source="db"),
        "a name that ends in a time",
    ),
)

_SECRETS = (
    same(
        run(f"curl -X POST -H 'Authorization: Bearer abcdefghijklmnop1234' {API}/x"),
        run(f"curl -X POST -H 'Authorization: Bearer zyxwvutsrqponmlk9876' {API}/x"),
        "another token",
    ),
    same(run("GITHUB_TOKEN=abc gh pr merge 5"), run("gh pr merge 5"), "a token in the environment"),
    same(run("twine upload -u __token__ -p pypi-AAA dist/x-1.0.tar.gz"), run("twine upload dist/x-1.0.tar.gz -p pypi-BBB -u __token__"), "a password"),
    same(call("login_and_post", text="hi", api_key="k1"), call("login_and_post", text="hi", api_key="k2"), "a key"),
    same(run(f"curl -u bob:one -d a=1 {API}/x"), run(f"curl --user bob:two -d a=1 {API}/x"), "who logs in"),
    same(run("TOKEN=abc deploy prod --now"), run("TOKEN=[redacted] deploy prod --now"), "kept without its secret"),
    different(run("TOKEN=abc deploy prod --now"), run("TOKEN=abc deploy staging --now"), "a secret hides nothing else"),
)  # fmt: skip

_SPELLING = (
    same(run("git push -f origin main"), run("git push origin main --force"), "short and long, and order"),
    same(run("git push -u origin main"), run("git push --set-upstream origin main"), "git's upstream"),
    same(run("git  push 'origin' \"main\""), run("git push origin main"), "quotes"),
    same(run("git push origin \\\n  main"), run("git push origin main"), "a line that goes on"),
    same(run("/usr/bin/git push origin main"), run("git push origin main"), "where git is"),
    same(run("git -C web push origin main"), run("cd web && git push origin main"), "git's own directory"),
    same(run("(cd web; git push origin main)"), run("cd ./web && git push origin main"), "a subshell"),
    same(run("npm --prefix web publish"), run("cd web; npm publish"), "npm's own directory"),
    same(run("sudo -E env FOO=1 nohup time ./release.sh v3 &"), run("FOO=1 ./release.sh v3"), "prefixes"),
    same(run("bash -c \"./release.sh v3\""), run("./release.sh v3"), "a shell around it"),
    same(run("bash -c 'sh -c \"./release.sh v3\"'"), run("./release.sh v3"), "two shells around it"),
    same(run("timeout 60 ./release.sh v3"), run("./release.sh v3"), "a limit"),
    same(run("set -euo pipefail; ./release.sh v3"), run("./release.sh v3"), "the shell's options"),
    same(run("./release.sh v3 && echo done"), run("./release.sh v3"), "saying so"),
    same(run("./release.sh v3 > /tmp/log 2>&1"), run("./release.sh v3"), "where the output goes"),
    same(run("./release.sh v3 || true"), run("./release.sh v3"), "whatever comes of it"),
    same(run("./release.sh v3 2>&1 | tee release.log | tail -5"), run("./release.sh v3"), "who reads it"),
    same(run("./release.sh v3 # now"), run("./release.sh v3"), "a comment"),
    same(run("V=v3; ./release.sh $V"), run("./release.sh v3"), "a variable"),
    same(run("export ENV=prod && ./release.sh"), run("ENV=prod ./release.sh"), "exported"),
    same(run("python -m twine upload dist/*"), run("twine upload dist/*"), "a module"),
    same(run("npx vercel deploy --prod"), run("vercel --prod deploy"), "npx"),
    same(run("kubectl apply -f app.yaml -n prod"), run("kubectl --namespace=prod apply --filename app.yaml"), "kubectl's flags"),
    same(run("kubectl delete pod a b"), run("kubectl delete pod b a"), "a set of names"),
    same(run("kubectl delete pod/a -n x --now=false"), run("kubectl delete pod a -n x --now=false"), "type and name"),
    same(run("kubectl scale deploy/web --replicas 3"), run("kubectl scale deployment web --replicas=3"), "deploy is short for deployment"),
    same(run("terraform apply -auto-approve -var env=prod"), run("terraform apply --var='env=prod'"), "one dash or two; nobody asked"),
    same(run("docker build -t web:3 . && docker push web:3"), run("docker build --tag web:3 .\ndocker push web:3"), "two lines"),
    same(call("Bash", command="git push origin main", timeout=1000), call("shell", command=["bash", "-lc", "git push origin main"]), "two agents' shells"),
    same(Act("Push it", "run_terminal_cmd", {"command": "git push origin main"}), run("git push origin main"), "a caption is no meaning"),
    same(call("Bash", command="npm publish", cwd="web"), run("cd web && npm publish"), "a directory given apart"),
    same(call("sendEmail", to="a@x.org", body="hi"), call("send_email", to="a@x.org", body="hi"), "the name of a tool"),
)  # fmt: skip

_HTTP = (
    same(run(f"curl -X POST {API}/orders -d 'a=1&b=2'"), run(f"curl -d b=2 -d a=1 {API}/orders"), "data makes it a POST"),
    same(run(f"curl -XPOST {API}/orders"), run(f"curl --request post {API}/orders"), "the method's case"),
    same(run(f"curl -sSfL --retry 3 -X PUT {API}/x"), run(f"curl -X PUT {API}/x -o /dev/null -w '%{{http_code}}'"), "how it is fetched"),
    same(run(f"curl -X POST '{API}/x?b=2&a=1'"), run(f"curl -X POST '{API}/x?a=1&b=2'"), "the order of a query"),
    same(run(f"curl -X POST '{API}/x?a=1&_ts=1781100202'"), run(f"curl -X POST '{API}/x?a=1&nonce=77'"), "noise in a query"),
    same(
        run(f"curl {API}/x -H 'X-A: 1' -H 'X-B: 2' -H 'X-Request-Time: 1781100202' --json '{{\"n\": 1, \"m\": [1]}}'"),
        run(f"curl {API}/x -H 'x-b: 2' -H 'x-a: 1' -X POST -H 'Content-Type: application/json' -d '{{\"m\":[1],\"n\":1}}'"),
        "headers in any order and case",
    ),
    same(run("curl -X DELETE HTTPS://API.Example.com:443/v1/x"), run("curl -X DELETE https://api.example.com/v1/x"), "the host's case, the usual port"),
    same(run(f"wget --post-data 'a=1' {API}/x -q -O -"), run(f"wget --post-data=a=1 {API}/x"), "wget"),
    same(run(f"http POST {API}/x name=Bo age:=3"), run(f"http post {API}/x age:=3 name=Bo"), "httpie"),
    same(
        call("fetch", url=f"{API}/x", method="POST", body=f'{{"a": 1, "request_id": "{UUID_A}"}}'),
        call("fetch", url=f"{API}/x", method="post", body=f'{{"request_id":"{UUID_B}","a":1}}'),
        "JSON in a string",
    ),
    different(run(f"curl -X POST {API}/orders"), run(f"curl -X PUT {API}/orders"), "another method"),
    different(run(f"curl -X POST {API}/orders -d qty=1"), run(f"curl -X POST {API}/orders -d qty=2"), "another quantity"),
    different(run(f"curl -X POST {API}/orders"), run(f"curl {API}/orders"), "only reading"),
    different(run(f"curl -X DELETE {API}/orders/1001"), run(f"curl -X DELETE {API}/orders/1002"), "another order"),
    different(run(f"curl -X POST {API}/payments/{UUID_A}/refund"), run(f"curl -X POST {API}/payments/{UUID_B}/refund"), "another payment"),
    different(run(f"curl -X POST {API}/x -d a=1"), run("curl -X POST https://staging.example.com/v1/x -d a=1"), "another host"),
    different(run("curl -X POST http://localhost:8080/x"), run("curl -X POST http://localhost:8081/x"), "another port"),
    different(run(f"curl -X POST '{API}/x?page=1'"), run(f"curl -X POST '{API}/x?page=2'"), "another page"),
    different(run(f"curl -X POST {API}/Orders"), run(f"curl -X POST {API}/orders"), "a path knows case"),
    different(run(f"curl -G -d a=1 {API}/x"), run(f"curl -d a=1 {API}/x"), "a query, not a body"),
    different(run(f"curl -F file=@a.pdf {API}/x"), run(f"curl -F file=@b.pdf {API}/x"), "another file"),
    different(run(f"curl -X POST -H 'X-Tenant: a' {API}/x"), run(f"curl -X POST -H 'X-Tenant: b' {API}/x"), "another tenant"),
)  # fmt: skip

_OBJECTS = (
    different(say("refund order 1001"), say("refund order 1002"), "another order"),
    different(call("refund", order_id=1001), call("refund", order_id=1002), "an order id is the object"),
    different(call("refund", invoice_id="INV-7"), call("refund", invoice_id="INV-8"), "an invoice"),
    different(call("delete_user", customer_id=UUID_A), call("delete_user", customer_id=UUID_B), "a customer, by uuid"),
    different(call("delete_user", id=UUID_A), call("delete_user", id=UUID_B), "the one who is deleted"),
    different(call("refund", payment_intent="pi_3MtwBwLkdIwHu7ix28a3tqPa"), call("refund", payment_intent="pi_3NuAAALkdIwHu7ix00000001"), "another payment"),
    different(call("charge", customer="cus_9s6XKzkNRiz8i3", amount=1), call("charge", customer="cus_9s6XKzkNRiz8i4", amount=1), "another customer"),
    different(say(f"cancel subscription {UUID_A}"), say(f"cancel subscription {UUID_B}"), "a subscription, by uuid"),
    different(say("deploy web v2"), say("deploy web v3"), "another version"),
    different(say("deploy web 1.2.3"), say("deploy web 1.2.4"), "another patch"),
    different(say("deploy web v3 to staging"), say("deploy web v3 to production"), "another environment"),
    different(say("deploy web v3"), say("deploy api v3"), "another service"),
    different(say("deploy web v3"), say("roll back web v3"), "the opposite"),
    different(run("deploy abc1234"), run("deploy def5678"), "another commit"),
    different(call("deploy", sha="abc1234def"), call("deploy", sha="fff1234def"), "another commit, as an argument"),
    different(call("deploy", commit=HEX_A[:40]), call("deploy", commit=HEX_B[:40]), "a whole commit"),
    different(call("pay", amount=10, currency="EUR"), call("pay", amount=100, currency="EUR"), "ten times as much"),
    different(call("pay", amount=10, currency="EUR"), call("pay", amount=10, currency="USD"), "another currency"),
    different(call("pay", amount="10.00"), call("pay", amount="10.50"), "fifty cents"),
    different(say("pay 10 EUR to Bo"), say("pay 10 EUR to Al"), "somebody else"),
    different(say("pay 100 EUR to Bo"), say("pay 100 USD to Bo"), "dollars"),
    different(say("book flight to Oslo on 2026-12-01"), say("book flight to Oslo on 2026-12-02"), "a day later"),
    different(call("schedule", job="x", at="2026-12-01T10:00:00Z"), call("schedule", job="x", at="2026-12-01T12:00:00Z"), "when it shall run"),
    different(call("invoice", to="Bo", due_date="2026-12-01"), call("invoice", to="Bo", due_date="2027-01-01"), "due later"),
    different(run("backup restore --date 2026-12-01"), run("backup restore --date 2026-12-02"), "another day's backup"),
    different(call("send_email", to="a@x.org", body="Yes"), call("send_email", to="a@x.org", body="No"), "the answer"),
    different(call("send_email", to="a@x.org", body="Code 4711"), call("send_email", to="a@x.org", body="Code 4712"), "a number in the body"),
    different(call("send_email", to="a@x.org", body="hi"), call("send_email", to="b@x.org", body="hi"), "somebody else"),
    different(call("send_email", to="a@x.org", subject="A", body="hi"), call("send_email", to="a@x.org", subject="B", body="hi"), "the subject"),
    different(call("send_email", to=["a@x.org"], bcc=["b@x.org"]), call("send_email", to=["a@x.org", "b@x.org"]), "who sees whom"),
    different(call("create_user", name="Bo", id=7), call("create_user", name="Bo", id=8), "a number that somebody chose"),
    different(call("delete_file", path="/srv/a1"), call("delete_file", path="/srv/a2"), "another path"),
    different(call("delete_file", path="/tmp/report-march.pdf"), call("delete_file", path="/tmp/report-april.pdf"), "names in /tmp that say something"),
    different(call("approve", request_id=17), call("approve", request_id=18), "a request that is judged"),
    different(call("mark_read", message_id=17), call("mark_read", message_id=18), "a message that is marked"),
    different(call("offer", to="Bo", ends_at="2026-12-31T23:59:59Z"), call("offer", to="Bo", ends_at="2027-01-31T23:59:59Z"), "the end of another day"),
    different(call("swap", token="ETH", amount=1), call("swap", token="BTC", amount=1), "a token that is no secret"),
    different(run("aws secretsmanager delete-secret --secret-id a"), run("aws secretsmanager delete-secret --secret-id b"), "the name of a secret"),
    different(call("post", channel="#dev", text="hi"), call("post", channel="#ops", text="hi"), "another channel"),
    different(call("merge", pr=5), call("merge", pr=6), "another request"),
    different(call("add_label", issue=5, labels=["a", "b"]), call("add_label", issue=5, labels=["a"]), "one label less"),
    different(call("move", steps=["a", "b"]), call("move", steps=["b", "a"]), "an order that matters"),
    different(call("mcp__stage_db__execute", sql="drop table x"), call("mcp__prod_db__execute", sql="drop table x"), "another server"),
    different(call("db_execute", sql="drop table x"), call("db_execute", sql="drop table y"), "another table"),
    different(call("db_execute", sql="update t set a='X'"), call("db_execute", sql="update t set a='x'"), "text in SQL knows case"),
)  # fmt: skip

_COMMANDS = (
    different(run("git push origin main"), run("git push origin dev"), "another branch"),
    different(run("git push origin main"), run("git push fork main"), "another remote"),
    different(run("git push origin main"), run("git push -f origin main"), "by force"),
    different(run("git push origin main"), run("git push origin --delete main"), "deleting"),
    different(run("git push origin a:b"), run("git push origin b:a"), "the other way"),
    different(run("git push"), run("git push --tags"), "tags too"),
    different(run("git push origin v1.0"), run("git push origin v1.1"), "another tag"),
    different(run("git push --dry-run"), run("git push"), "only trying"),
    different(run("cd web && npm publish"), run("cd api && npm publish"), "another package"),
    different(run("npm publish"), run("npm publish --tag next"), "another channel"),
    different(run("npm publish"), run("npm unpublish"), "the opposite"),
    different(run("kubectl apply -f a.yaml"), run("kubectl delete -f a.yaml"), "the opposite"),
    different(run("kubectl apply -f a.yaml -n dev"), run("kubectl apply -f a.yaml -n prod"), "another namespace"),
    different(run("kubectl --context dev apply -f a.yaml"), run("kubectl --context prod apply -f a.yaml"), "another cluster"),
    different(run("kubectl scale deploy/web --replicas=3"), run("kubectl scale deploy/web --replicas=0"), "none left"),
    different(run("kubectl delete pod web-x2x4k9"), run("kubectl delete pod web-q8w9z1"), "another pod"),
    different(run("terraform apply"), run("terraform apply -destroy"), "the opposite"),
    different(run("terraform apply -var env=dev"), run("terraform apply -var env=prod"), "another environment"),
    different(run("ENV=prod make deploy"), run("ENV=dev make deploy"), "in the environment"),
    different(run("make deploy ENV=prod"), run("make deploy ENV=dev"), "as an argument"),
    different(run("./release.sh v3 && ./notify.sh"), run("./release.sh v3"), "one command more"),
    different(run("scp a b:/x"), run("scp b:/x a"), "the other way"),
    different(run("echo yes | ./release.sh"), run("echo no | ./release.sh"), "what it is told"),
    different(run("mail -s Hi bob@x.org <<< 'Lunch?'"), run("mail -s Hi bob@x.org <<< 'Dinner?'"), "what it says"),
    different(run("psql -c 'delete from a'"), run("psql -c 'delete from b'"), "another table"),
    different(run("psql -h db1 -c 'delete from a'"), run("psql -h db2 -c 'delete from a'"), "another server"),
    different(run("bash -c './release.sh v3'"), run("bash -c './release.sh v4'"), "below a shell"),
    different(run("aws ec2 terminate-instances --instance-ids i-0abc"), run("aws ec2 terminate-instances --instance-ids i-0def"), "another machine"),
    different(run("docker push web:3"), run("docker push web:4"), "another image"),
    different(run("docker run --name a x"), run("docker run --name a y"), "another image to run"),
    different(run("ssh web1 reboot"), run("ssh web2 reboot"), "another host"),
    different(run("at 10:00 -f job.sh"), run("at 11:00 -f job.sh"), "another time"),
)  # fmt: skip

_ORDER_AND_CASE = (
    same(call("f", a=1, b={"c": 2, "d": 3}), call("f", b={"d": 3, "c": 2}, a=1), "the order of keys"),
    same(call("send_email", to=["a@x.org", "b@X.org"], body="hi"), call("send_email", to="b@x.org, a@x.org", body="hi"), "who gets it"),
    same(call("add_label", issue=5, labels=["a", "b"]), call("add_label", issue=5, labels=["b", "a"]), "labels"),
    same(call("order", items=[{"sku": "a", "qty": 1}, {"sku": "b", "qty": 2}]), call("order", items=[{"qty": 2, "sku": "b"}, {"qty": 1, "sku": "a"}]), "the order of items"),
    same(call("pay", amount=10, currency="EUR"), call("pay", amount="10.00", currency="eur"), "an amount as text"),
    same(call("send_email", to="a@x.org", body="hi", cc=[]), call("send_email", to="a@x.org", body="hi", cc=None), "nobody else"),
    same(say("email a@x.org and b@x.org: launch at noon"), say("Email b@x.org and a@x.org: launch at noon"), "who gets it, in a sentence"),
    same(say("pay 100.00 EUR to Bo"), say("pay €100 to Bo"), "an amount in a sentence"),
    same(call("db_execute", sql="DELETE FROM t\n WHERE a = 1;"), call("db_execute", sql="delete from t where a = 1"), "SQL"),
)  # fmt: skip

PAIRS: tuple[Pair, ...] = (
    *_IDS_AND_TIMES,
    *_SECRETS,
    *_SPELLING,
    *_HTTP,
    *_OBJECTS,
    *_COMMANDS,
    *_ORDER_AND_CASE,
)
