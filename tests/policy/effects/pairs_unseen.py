"""Pairs of acts that were written before the code that compares them.

At first 48 of 50 were judged correctly: precision 1.00, recall 0.92.
The other two, a profile named default and a time inserted into a URL by the shell, were fixed then.
"""

# fmt: off
from __future__ import annotations

from tests.policy.effects.kit import Pair, call, different, run, same, say

PAIRS: tuple[Pair, ...] = (
    # --- the same act, repeated ----------------------------------------------------------------
    same(
        call("mcp__twilio__send_sms", to="+4915112345678", body="Your code is ready", sid="SM3f9c0e8d7b6a5f4e3d2c1b0a99887766"),
        call("mcp__twilio__send_sms", body="Your code is ready", to="+4915112345678", sid="SM00aa11bb22cc33dd44ee55ff66778899"),
        "a message id made up by the client",
    ),
    same(
        run("aws s3 cp build/site.zip s3://acme-releases/site.zip --metadata request-id=0b9f1f0e-5a53-4f1a-9d0d-3b7de1e0a1c2"),
        run("aws s3 cp --metadata request-id=7c2d1a10-1111-4c4c-8d8d-aaaabbbbcccc build/site.zip s3://acme-releases/site.zip"),
        "metadata that only names the request; flags first",
    ),
    same(
        run("gh issue create --title 'Login fails' --body 'Steps: open /login' --label bug --label p1"),
        run("gh issue create -l p1 -l bug -b 'Steps: open /login' -t 'Login fails'"),
        "short spellings, labels in another order",
    ),
    same(
        run("helm upgrade --install web ./chart -n prod --set image.tag=v3 --set replicas=2"),
        run("helm upgrade web ./chart --install --namespace=prod --set replicas=2,image.tag=v3"),
        "values set together or apart",
    ),
    same(
        call("create_calendar_event", title="Review", start="2026-12-01T10:00:00Z", attendees=["a@x.org", "b@x.org"], uid="4f1c7a0e-8f4e-4d0c-9b80-0a1b2c3d4e5f"),
        call("create_calendar_event", title="Review", start="2026-12-01T10:00:00Z", attendees=["b@x.org", "a@x.org"], uid="9e2b6d1f-1c2d-4e3f-8a9b-5c6d7e8f9a0b"),
        "attendees are a set, and the uid is the client's",
    ),
    same(
        run("curl -sS -X POST https://hooks.slack.com/services/T000/B000/XXXX -H 'Content-type: application/json' --data '{\"text\":\"Deploy done\"}'"),
        run("curl --silent --request POST --data '{ \"text\": \"Deploy done\" }' https://hooks.slack.com/services/T000/B000/XXXX"),
        "spelling, and JSON with blanks",
    ),
    same(
        run("wrangler deploy --env production --tag build-1764583322"),
        run("npx wrangler deploy --tag build-1764590001 --env production"),
        "through npx; the tag is only a build time",
    ),
    same(
        say("Send payslip for May 2026 to anna@example.com (request id 8d7f6e5c-1234-4abc-9def-001122334455)"),
        say("send payslip for May 2026 to anna@EXAMPLE.com (request id 11112222-3333-4444-8555-666677778888)"),
        "a request id in brackets",
    ),
    same(
        call("jira_create_issue", project="OPS", summary="Rotate keys", description="Reported at 2026-06-10T14:03:22Z by the agent"),
        call("jira_create_issue", project="OPS", summary="Rotate keys", description="Reported at 2026-06-10T15:44:09Z by the agent"),
        "only the time of the report",
    ),
    same(
        run("psql \"$DATABASE_URL\" -c \"DELETE FROM sessions WHERE user_id = 42;\""),
        run("psql $DATABASE_URL --command='delete from sessions  where user_id = 42'"),
        "SQL keywords and blanks",
    ),
    same(
        run("docker push registry.example.com/web:3.1.4"),
        run("sudo docker push registry.example.com/web:3.1.4 2>&1 | tail -n 3"),
        "sudo, and only the tail of the output",
    ),
    same(
        run("bash -lc 'cd infra/prod && terraform apply -auto-approve'"),
        run("terraform -chdir=infra/prod apply -auto-approve"),
        "the same directory, said in two ways",
    ),
    same(
        call("stripe_create_refund", charge="ch_3MmlLrLkdIwHu7ix0snN0B15", amount=500, idempotency_key="a1"),
        call("stripe_create_refund", charge="ch_3MmlLrLkdIwHu7ix0snN0B15", amount=500, idempotency_key="a2"),
        "another key for the same refund",
    ),
    same(
        run("aws sns publish --topic-arn arn:aws:sns:eu-west-1:123456789012:alerts --message 'disk full'"),
        run("AWS_PROFILE=default aws sns publish --message 'disk full' --topic-arn arn:aws:sns:eu-west-1:123456789012:alerts"),
        "the default profile named",
    ),
    same(
        run("TS=$(date +%s); curl -X POST \"https://api.example.com/v1/orders?ts=$TS\" -d 'sku=A1&qty=2'"),
        run("curl -X POST 'https://api.example.com/v1/orders?ts=1764583322' -d 'qty=2&sku=A1'"),
        "a time in the query, made by the shell",
    ),
    same(
        call("send_message", channel="#ops", text="Rollout finished.\n\nTrace: 4bf92f3577b34da6a3ce929d0e0e4736"),
        call("send_message", channel="#ops", text="Rollout finished.\n\nTrace: 0af7651916cd43dd8448eb211c80319c"),
        "a trace id on the last line",
    ),
    same(
        run("git push origin HEAD:main"),
        run("git   push  'origin'  HEAD:refs/heads/main"),
        "a branch by its full name",
    ),
    same(
        call("Bash", command="npm publish --access public", description="Publish the package"),
        run("npm publish --access=public"),
        "through a tool, or typed",
    ),
    same(
        run("kubectl create job backup-1764583322 --from=cronjob/backup -n prod"),
        run("kubectl -n prod create job backup-1764599999 --from cronjob/backup"),
        "the name of the job ends in a time",
    ),
    same(
        call("http_request", method="post", url="https://API.example.com:443/v1/charges", headers={"Idempotency-Key": "k1", "Date": "Tue, 10 Jun 2026 14:03:22 GMT"}, body={"amount": 1200, "currency": "eur"}),
        call("http_request", method="POST", url="https://api.example.com/v1/charges", headers={"idempotency-key": "k2"}, body={"currency": "eur", "amount": 1200}),
        "case, port, headers",
    ),
    same(
        say("pay invoice INV-2044: 1,200.00 EUR to Acme GmbH"),
        say("Pay invoice INV-2044: €1200 to Acme GmbH."),
        "an amount written otherwise",
    ),
    same(
        run("rsync -avz dist/ deploy@web1.example.com:/srv/www/"),
        run("rsync -a -v -z dist/ deploy@WEB1.example.com:/srv/www/"),
        "flags apart, a host in capitals",
    ),
    same(
        run("gcloud run deploy web --image gcr.io/acme/web:v3 --region europe-west1 --quiet"),
        run("gcloud run deploy web --region=europe-west1 --image=gcr.io/acme/web:v3"),
        "asking or not",
    ),
    same(
        run("cat <<'EOF' | sendmail bob@example.com\nSubject: Hi\nMessage-ID: <20260610140322.8f3a@host>\n\nLunch?\nEOF\n"),
        run("cat <<'END' | sendmail bob@example.com\nSubject: Hi\nMessage-ID: <20260610155201.77c1@host>\n\nLunch?\nEND\n"),
        "a message id in the mail",
    ),
    same(
        call("deploy", service="web", version="v3", environment="prod", meta={"requested_by": "agent", "requested_at": 1764583322123, "run_id": "r-77"}),
        call("deploy", version="v3", environment="prod", service="web", meta={"requested_by": "agent", "requested_at": 1764589999000, "run_id": "r-78"}),
        "when and in which run it was asked for",
    ),
    # --- a different, similar act --------------------------------------------------------------
    different(
        call("mcp__twilio__send_sms", to="+4915112345678", body="Your code is 4711"),
        call("mcp__twilio__send_sms", to="+4915112345679", body="Your code is 4711"),
        "another telephone",
    ),
    different(
        run("aws s3 rm s3://acme-releases/old --recursive"),
        run("aws s3 rm s3://acme-backups/old --recursive"),
        "another bucket",
    ),
    different(
        run("gh release create v1.4.0 --notes 'fixes'"),
        run("gh release create v1.4.1 --notes 'fixes'"),
        "another release",
    ),
    different(
        run("helm upgrade --install web ./chart -n prod --set image.tag=v3"),
        run("helm upgrade --install web ./chart -n prod --set image.tag=v3 --set replicas=0"),
        "no replicas are left",
    ),
    different(
        call("create_calendar_event", title="Review", start="2026-12-01T10:00:00Z"),
        call("create_calendar_event", title="Review", start="2026-12-01T11:00:00Z"),
        "an hour later",
    ),
    different(
        run("curl -X DELETE https://api.example.com/users/3f2504e0-4f89-41d3-9a0c-0305e82c3301"),
        run("curl -X DELETE https://api.example.com/users/6fa459ea-ee8a-3ca4-894e-db77e160355e"),
        "a uuid that names who is deleted",
    ),
    different(
        run("kubectl delete pod web-7d9f8b6c5d-x2x4k"),
        run("kubectl delete pod web-7d9f8b6c5d-q8w9z"),
        "another pod",
    ),
    different(
        say("refund order 1001"),
        say("refund order 1002"),
        "another order",
    ),
    different(
        say("transfer 500 EUR from savings to checking"),
        say("transfer 500 EUR from checking to savings"),
        "the other way",
    ),
    different(
        run("psql -c 'UPDATE plans SET price = 10 WHERE id = 3'"),
        run("psql -c 'UPDATE plans SET price = 100 WHERE id = 3'"),
        "ten times the price",
    ),
    different(
        run("docker push registry.example.com/web@sha256:9b2c1e5f0a7d4c3b8e6f1a2d3c4b5a69788796a5b4c3d2e1f0a9b8c7d6e5f401"),
        run("docker push registry.example.com/web@sha256:1f2e3d4c5b6a79880123456789abcdef0123456789abcdef0123456789abcdef"),
        "another image",
    ),
    different(
        run("cd web && npm publish"),
        run("cd api && npm publish"),
        "another package",
    ),
    different(
        call("stripe_create_refund", charge="ch_3MmlLrLkdIwHu7ix0snN0B15", amount=500),
        call("stripe_create_refund", charge="ch_3MnAAbLkdIwHu7ix1xyzKKLL", amount=500),
        "another charge",
    ),
    different(
        run("terraform apply -target=module.web"),
        run("terraform destroy -target=module.web"),
        "the opposite",
    ),
    different(
        run("git push origin main"),
        run("git push --force origin main"),
        "overwriting what is there",
    ),
    different(
        run("git push --dry-run origin main"),
        run("git push origin main"),
        "only trying",
    ),
    different(
        call("send_email", to=["bob@example.com"], subject="Invoice", body="Please find invoice 77 attached."),
        call("send_email", to=["bob@example.com"], subject="Invoice", body="Please find invoice 78 attached."),
        "another invoice in the body",
    ),
    different(
        call("send_email", to=["bob@example.com"], subject="Hello", body="Lunch?"),
        call("send_email", to=["bob@example.com"], cc=["eve@example.com"], subject="Hello", body="Lunch?"),
        "somebody else reads it too",
    ),
    different(
        run("./deploy.sh --env staging --version 2.0.0"),
        run("./deploy.sh --env prod --version 2.0.0"),
        "another environment",
    ),
    different(
        say("deploy commit abc1234 to production"),
        say("deploy commit def5678 to production"),
        "another commit",
    ),
    different(
        run("stripe payment_intents create --amount 1000 --currency usd"),
        run("stripe payment_intents create --amount 1000 --currency eur"),
        "another currency",
    ),
    different(
        call("book_flight", origin="TXL", destination="JFK", date="2026-12-01"),
        call("book_flight", origin="TXL", destination="JFK", date="2026-12-02"),
        "a day later",
    ),
    different(
        run("az vm delete --name build-01 --resource-group ci --yes"),
        run("az vm delete --name build-02 --resource-group ci --yes"),
        "another machine",
    ),
    different(
        run("cat <<'EOF' | sendmail bob@example.com\nSubject: Hi\n\nLunch on Monday?\nEOF\n"),
        run("cat <<'EOF' | sendmail bob@example.com\nSubject: Hi\n\nLunch on Tuesday?\nEOF\n"),
        "another day in the mail",
    ),
    different(
        run("ssh web1.example.com 'systemctl restart nginx'"),
        run("ssh web2.example.com 'systemctl restart nginx'"),
        "another host",
    ),
)
