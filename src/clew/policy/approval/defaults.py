"""Default approval rules, which users can copy and edit."""

from __future__ import annotations

DEFAULT_RULES = """\
# Which acts need a yes before they run; `clew config set gate on` switches the asking on.
# One rule a line: `command` or `tool`, words with a|b and *, then `with` and `unless`.

# --- other people's copies -----------------------------------------------------------------------
command git push unless --dry-run                                       # push, reversible: others may have it by then
command git send-email unless --dry-run                                 # message: what was read cannot be unread
command hg push unless --dry-run                                        # push, reversible: others may have it by then
command jj git push unless --dry-run                                    # push, reversible: others may have it by then
command svn commit|ci|import                                            # push, reversible: others may have it by then
command gh pr|issue|release|repo|gist|label|project create|edit|merge|close|reopen|delete|comment|review|ready|upload|transfer|archive|rename|fork|lock  # push, reversible: everybody who watches is told
command gh secret|variable|workflow|run|cache set|delete|remove|run|rerun|cancel|enable|disable  # push, reversible: the next run works with it
command gh api with -X POST|PUT|PATCH|DELETE or -f|-F|--raw-field|--input unless -X GET        # http write: a server does what it is told
command glab mr|issue|release|repo|ci create|update|merge|close|reopen|delete|note|approve|run|cancel|retry   # push, reversible: everybody who watches is told

# --- what is published is there for good ---------------------------------------------------------
command npm|pnpm|yarn|bun publish|unpublish|deprecate unless --dry-run  # publish: a version is never free again
command npm|pnpm|yarn dist-tag|owner|access add|rm|set|grant|revoke     # publish, reversible: others install what the tag names
command yarn npm publish unless --dry-run                               # publish: a version is never free again
command lerna|changeset|semantic-release|np|release-it publish unless --dry-run  # publish: a version is never free again
command semantic-release|np|release-it|goreleaser unless --dry-run|--snapshot or check|build|init  # publish: a version is never free again
command twine upload                                                    # publish: a version is never free again
command poetry|flit|hatch|uv|pdm publish unless --dry-run               # publish: a version is never free again
command python setup.py upload                                          # publish: a version is never free again
command cargo publish|yank|owner unless --dry-run                       # publish: a version is never free again
command gem push|yank                                                   # publish: a version is never free again
command mvn|mvnw deploy*|release:*                                      # publish: a version is never free again
command gradle|gradlew publish*|upload* unless --dry-run or publishToMavenLocal  # publish: a version is never free again
command dotnet nuget push|delete                                        # publish: a version is never free again
command nuget|vsce|ovsx push|publish|unpublish|delete                   # publish: a version is never free again
command dart|flutter pub publish unless --dry-run|-n                    # publish: a version is never free again
command mix hex.publish|hex.retire                                      # publish: a version is never free again
command anaconda|conda upload                                           # publish: a version is never free again
command docker|podman|buildah|nerdctl push unless --dry-run             # publish, reversible: others pull what the tag names
command docker|podman compose push                                      # publish, reversible: others pull what the tag names
command docker|podman build|buildx with --push                          # publish, reversible: others pull what the tag names
command helm push                                                       # publish, reversible: others pull what the tag names
command skopeo|crane|oras copy|push|delete|tag|append                   # publish, reversible: others pull what the tag names
command snapcraft|charmcraft upload|release|push                        # publish: others are updated by themselves
command eas submit|update                                               # publish: others are updated by themselves

# --- what runs elsewhere -------------------------------------------------------------------------
command terraform|tofu|terragrunt apply|destroy|import|taint|untaint|force-unlock  # deploy: what is destroyed has no history here
command terraform|tofu|terragrunt state|workspace rm|mv|push|delete     # deploy: the state is shared
command terragrunt run-all|run apply|destroy                            # deploy: what is destroyed has no history here
command pulumi up|update|destroy|refresh|import|cancel unless --preview-only  # deploy: what is destroyed has no history here
command cdk|sam|serverless|sls deploy|destroy|delete|remove             # deploy: what is destroyed has no history here
command kubectl|oc unless get|describe|logs|explain|api-resources|api-versions|version|cluster-info|config|top|diff|events|port-forward|proxy|completion|kustomize|options|plugin|wait or rollout status|history or auth can-i|whoami or --dry-run  # deploy: a cluster does at once what it is told
command helm install|upgrade|uninstall|delete|rollback unless --dry-run # deploy, reversible: a cluster does at once what it is told
command argocd app sync|delete|create|set|rollback|terminate-op         # deploy, reversible: a cluster does at once what it is told
command flux|skaffold|tilt|kamal|cap run|deploy|delete|reconcile|rollback|remove|setup|up  # deploy, reversible: users meet it at once
command ansible-playbook unless --check|--syntax-check|--list-hosts|--list-tasks  # deploy: many machines at once
command vercel|now unless list|ls|inspect|logs|whoami|dev|build|pull|login|logout|link|env|project|switch|init|certs  # deploy, reversible: users meet it at once
command netlify deploy|sites:delete|env:set|env:unset                   # deploy, reversible: users meet it at once
command wrangler deploy|publish|delete|rollback|secret|versions|r2|d1|kv* unless --dry-run or versions list|view or d1 list|info or r2 list or secret list  # deploy, reversible: users meet it at once
command fly deploy|destroy|launch|scale|secrets|restart|apps|machine|volumes unless apps|volumes|secrets list or scale show  # deploy, reversible: users meet it at once
command heroku unless apps|logs|ps|config|releases|info|status|login|whoami|local|help  # deploy, reversible: users meet it at once
command firebase|railway|surge|eb|dokku|now deploy|up|terminate|create|delete|hosting:disable|functions:delete  # deploy, reversible: users meet it at once
command make|just|task|rake deploy*|publish*|release*|*-deploy unless --dry-run  # deploy: its name says so
command npm|pnpm|yarn|bun run|run-script deploy*|publish*|release*      # deploy: its name says so
command *deploy*.sh|*release*.sh|*publish*.sh|deploy|release            # deploy: its name says so
command rsync|scp with into *:* unless --dry-run                        # deploy: another machine's files have no history here

# --- clouds --------------------------------------------------------------------------------------
command aws s3 cp|mv|rm|sync|mb|rb unless --dryrun                      # cloud: what is overwritten there has no history here
command aws ses|sesv2|sns|pinpoint send*|publish*                       # message: what was read cannot be unread
command aws * create*|delete*|put*|update*|modify*|terminate*|run*|start*|stop*|reboot*|attach*|detach*|associate*|disassociate*|authorize*|revoke*|register*|deregister*|send*|purge*|invoke*|publish*|restore*|reset*|execute*|import*|tag*|untag*|release*|allocate*|deploy*|change* unless --dry-run  # cloud: it costs, or it is gone
command gcloud with word create|delete|deploy|update|patch|submit|start|stop|reset|resize|publish|import|export|add|remove|enable|disable|set|undelete|rollback|promote|move|copy|cp|mv|rm|call|execute|restore|add-*|remove-*|set-*|update-*|rolling-action unless config  # cloud: it costs, or it is gone
command az with word create|delete|update|start|stop|restart|deallocate|purge|up|deploy|set|add|remove|assign|upload*|import|invoke|run|scale|swap|reset*|regenerate* unless config|configure|login|account  # cloud: it costs, or it is gone
command gsutil cp|mv|rm|rsync|mb|rb|acl|iam|defacl|lifecycle unless -n  # cloud: what is overwritten there has no history here
command doctl|hcloud|linode-cli|oci|ibmcloud|scw|vultr-cli with word create|delete|update|rebuild|resize|reboot|shutdown|destroy|terminate|add|remove|poweroff  # cloud: it costs, or it is gone
command eksctl create|delete|upgrade|scale|drain                        # cloud: it costs, or it is gone
command vault write|delete|kv|policy|token|secrets unless kv get|list or policy read|list  # cloud: others depend on it

# --- data ----------------------------------------------------------------------------------------
command psql|mysql|mariadb|sqlcmd|cockroach|clickhouse-client|snowsql with text insert|update|delete|drop|truncate|alter|create|grant|revoke|replace|merge|vacuum or -f|--file or input  # database: rows have no history here
command bq query with text insert|update|delete|drop|truncate|alter|create|merge  # database: rows have no history here
command bq rm|load|mk|cp|insert|update                                  # database: rows have no history here
command mongosh|mongo with text insert*|update*|delete*|drop*|remove*|replace*|rename*|findandmodify  # database: documents have no history here
command redis-cli with text flushall|flushdb|set|del|unlink|hset|hdel|lpush|rpush|publish|expire|rename|eval|config  # database: keys have no history here
command dropdb|createdb|dropuser|createuser|pg_restore|mysqlimport|mongorestore|mongoimport  # database: rows have no history here
command mysqladmin create|drop|shutdown|password                        # database: rows have no history here
command prisma migrate|db deploy|reset|push|execute|resolve|seed        # database: rows have no history here
command alembic|flyway|liquibase|dbmate|goose|sqitch upgrade|downgrade|migrate|clean|update|rollback|up|down|deploy|revert|drop  # database: rows have no history here
command supabase db push|reset                                          # database: rows have no history here

# --- requests ------------------------------------------------------------------------------------
command curl with -X POST|PUT|PATCH|DELETE                              # http write: a server does what it is told
command curl with -d|--data-raw|--data-binary|--data-ascii|--data-urlencode|--json|-F|--form-string|-T unless -G or -X GET|HEAD  # http write: a server does what it is told
command wget with --post-data|--post-file|--body-data|--body-file or --method POST|PUT|PATCH|DELETE  # http write: a server does what it is told
command http|https|xh post|put|patch|delete                             # http write: a server does what it is told
command http|https|xh with word *=* unless get|head or word *==*        # http write: a server does what it is told
command grpcurl|websocat|mqtt|mosquitto_pub|kcat|rabbitmqadmin unless list|describe or -C or -L  # http write: a server does what it is told

# --- people --------------------------------------------------------------------------------------
command mail|mailx|mutt|sendmail|msmtp|ssmtp|swaks|mpack|s-nail|himalaya unless list|read or envelope|folder|account or -f   # message: what was read cannot be unread
command twilio *messages:create|*calls:create|email:send|*:update|*:remove  # message: what was read cannot be unread
command slack|slackcat|telegram-send|signal-cli|ntfy|pushover           # message: what was read cannot be unread

# --- money ---------------------------------------------------------------------------------------
command stripe * create|update|delete|cancel|capture|confirm|pay|void*|finalize*|send*|close|approve|attach|detach  # payment: money moves
command stripe post|delete|trigger                                      # payment: money moves
command bitcoin-cli|lncli|cast|solana|eth send*|pay*|transfer|publish   # payment: money moves

# --- tools ---------------------------------------------------------------------------------------
tool *send_email*                                                       # message: what was read cannot be unread
tool send|reply|forward|post|publish|broadcast|schedule email|mail|gmail|message|sms|chat|tweet|slack|whatsapp|telegram|discord|notification|comment|invite|newsletter  # message: what was read cannot be unread
tool create|update|delete|respond|add event|calendar|meeting|attendee   # message, reversible: guests are told
tool tweet|sms|email                                                    # message: what was read cannot be unread
tool create|make|capture|confirm|execute|initiate|send|submit|cancel|update|finalize|add|issue payment|charge|refund|transfer|payout|invoice|subscription|order|checkout|intent|coupon|price  # payment: money moves
tool charge|refund|pay|payout|withdraw|purchase|buy|checkout|wire|donate|swap  # payment: money moves
tool book|reserve|order                                                 # payment: somebody counts on it
tool create|update|merge|close|reopen|delete|push|fork|approve|submit|add|edit|request|dismiss|assign pull|issue|branch|repository|repo|release|tag|comment|review|gist|discussion|workflow|ticket|story|epic|label|milestone  # push, reversible: everybody who watches is told
tool push|create|update|delete file|files|commit|contents with owner * or repo *  # push, reversible: others may have it by then
tool deploy|redeploy|rollback|promote|publish|unpublish|release         # deploy: users meet it at once
tool create|update|delete|start|stop|restart|reboot|terminate|scale|resize|destroy|provision|modify|purge|apply|attach|detach instance|server|vm|bucket|cluster|database|dns|zone|droplet|function|lambda|stack|deployment|service|container|volume|domain|certificate|secret|namespace|pod|queue|topic|role|policy|firewall|environment|env|project|site|app|worker|manifest|resource|user|account|member|customer|contact|record|webhook|flag  # cloud: it costs, or it is gone
tool execute|run|apply|query sql|query|statement|migration|mutation|database|postgres|mysql|db|supabase|snowflake|bigquery|d1 with text insert|update|delete|drop|truncate|alter|create|grant|revoke|replace|merge|mutation  # database: rows have no history here
tool insert|upsert|delete|drop|truncate row|rows|record|document|table|collection|index|item|entry|object  # database: rows have no history here
tool http|https|fetch|request|webfetch|api|rest|curl|url with method POST|PUT|PATCH|DELETE  # http write: a server does what it is told
"""
