"""Default approval rules, which users can copy and edit."""

from __future__ import annotations

DEFAULT_RULES = """\
# Actions that require approval; `clew config set gate on` enables the gate.
# One rule per line: `command` or `tool`, words with a|b and *, then `with` and `unless`.

# --- shared repositories -------------------------------------------------------------------------
command git push unless --dry-run                                       # push, reversible: others may have fetched it
command git send-email unless --dry-run                                 # message: a sent message cannot be recalled
command hg push unless --dry-run                                        # push, reversible: others may have fetched it
command jj git push unless --dry-run                                    # push, reversible: others may have fetched it
command svn commit|ci|import                                            # push, reversible: others may have fetched it
command gh pr|issue|release|repo|gist|label|project create|edit|merge|close|reopen|delete|comment|review|ready|upload|transfer|archive|rename|fork|lock  # push, reversible: notifies everyone who watches it
command gh secret|variable|workflow|run|cache set|delete|remove|run|rerun|cancel|enable|disable  # push, reversible: affects the next run
command gh api with -X POST|PUT|PATCH|DELETE or -f|-F|--raw-field|--input unless -X GET        # http write: changes data on a server
command glab mr|issue|release|repo|ci create|update|merge|close|reopen|delete|note|approve|run|cancel|retry   # push, reversible: notifies everyone who watches it

# --- publishing ----------------------------------------------------------------------------------
command npm|pnpm|yarn|bun publish|unpublish|deprecate unless --dry-run  # publish: a published version cannot be reused
command npm|pnpm|yarn dist-tag|owner|access add|rm|set|grant|revoke     # publish, reversible: changes what others install
command yarn npm publish unless --dry-run                               # publish: a published version cannot be reused
command lerna|changeset|semantic-release|np|release-it publish unless --dry-run  # publish: a published version cannot be reused
command semantic-release|np|release-it|goreleaser unless --dry-run|--snapshot or check|build|init  # publish: a published version cannot be reused
command twine upload                                                    # publish: a published version cannot be reused
command poetry|flit|hatch|uv|pdm publish unless --dry-run               # publish: a published version cannot be reused
command python setup.py upload                                          # publish: a published version cannot be reused
command cargo publish|yank|owner unless --dry-run                       # publish: a published version cannot be reused
command gem push|yank                                                   # publish: a published version cannot be reused
command mvn|mvnw deploy*|release:*                                      # publish: a published version cannot be reused
command gradle|gradlew publish*|upload* unless --dry-run or publishToMavenLocal  # publish: a published version cannot be reused
command dotnet nuget push|delete                                        # publish: a published version cannot be reused
command nuget|vsce|ovsx push|publish|unpublish|delete                   # publish: a published version cannot be reused
command dart|flutter pub publish unless --dry-run|-n                    # publish: a published version cannot be reused
command mix hex.publish|hex.retire                                      # publish: a published version cannot be reused
command anaconda|conda upload                                           # publish: a published version cannot be reused
command docker|podman|buildah|nerdctl push unless --dry-run             # publish, reversible: changes what others pull
command docker|podman compose push                                      # publish, reversible: changes what others pull
command docker|podman build|buildx with --push                          # publish, reversible: changes what others pull
command helm push                                                       # publish, reversible: changes what others pull
command skopeo|crane|oras copy|push|delete|tag|append                   # publish, reversible: changes what others pull
command snapcraft|charmcraft upload|release|push                        # publish: others are updated automatically
command eas submit|update                                               # publish: others are updated automatically

# --- deployments ---------------------------------------------------------------------------------
command terraform|tofu|terragrunt apply|destroy|import|taint|untaint|force-unlock  # deploy: destroyed resources cannot be restored
command terraform|tofu|terragrunt state|workspace rm|mv|push|delete     # deploy: the state is shared
command terragrunt run-all|run apply|destroy                            # deploy: destroyed resources cannot be restored
command pulumi up|update|destroy|refresh|import|cancel unless --dry-run-only  # deploy: destroyed resources cannot be restored
command cdk|sam|serverless|sls deploy|destroy|delete|remove             # deploy: destroyed resources cannot be restored
command kubectl|oc unless get|describe|logs|explain|api-resources|api-versions|version|cluster-info|config|top|diff|events|port-forward|proxy|completion|kustomize|options|plugin|wait or rollout status|history or auth can-i|whoami or --dry-run  # deploy: takes effect in the cluster at once
command helm install|upgrade|uninstall|delete|rollback unless --dry-run # deploy, reversible: takes effect in the cluster at once
command argocd app sync|delete|create|set|rollback|terminate-op         # deploy, reversible: takes effect in the cluster at once
command flux|skaffold|tilt|kamal|cap run|deploy|delete|reconcile|rollback|remove|setup|up  # deploy, reversible: takes effect for users at once
command ansible-playbook unless --check|--syntax-check|--list-hosts|--list-tasks  # deploy: changes many machines
command vercel|now unless list|ls|inspect|logs|whoami|dev|build|pull|login|logout|link|env|project|switch|init|certs  # deploy, reversible: takes effect for users at once
command netlify deploy|sites:delete|env:set|env:unset                   # deploy, reversible: takes effect for users at once
command wrangler deploy|publish|delete|rollback|secret|versions|r2|d1|kv* unless --dry-run or versions list|view or d1 list|info or r2 list or secret list  # deploy, reversible: takes effect for users at once
command fly deploy|destroy|launch|scale|secrets|restart|apps|machine|volumes unless apps|volumes|secrets list or scale show  # deploy, reversible: takes effect for users at once
command heroku unless apps|logs|ps|config|releases|info|status|login|whoami|local|help  # deploy, reversible: takes effect for users at once
command firebase|railway|surge|eb|dokku|now deploy|up|terminate|create|delete|hosting:disable|functions:delete  # deploy, reversible: takes effect for users at once
command make|just|task|rake deploy*|publish*|release*|*-deploy unless --dry-run  # deploy: named like a deployment
command npm|pnpm|yarn|bun run|run-script deploy*|publish*|release*      # deploy: named like a deployment
command *deploy*.sh|*release*.sh|*publish*.sh|deploy|release            # deploy: named like a deployment
command rsync|scp with into *:* unless --dry-run                        # deploy: files of another machine cannot be restored

# --- cloud providers -----------------------------------------------------------------------------
command aws s3 cp|mv|rm|sync|mb|rb unless --dryrun                      # cloud: overwritten objects cannot be restored
command aws ses|sesv2|sns|pinpoint send*|publish*                       # message: a sent message cannot be recalled
command aws * create*|delete*|put*|update*|modify*|terminate*|run*|start*|stop*|reboot*|attach*|detach*|associate*|disassociate*|authorize*|revoke*|register*|deregister*|send*|purge*|invoke*|publish*|restore*|reset*|execute*|import*|tag*|untag*|release*|allocate*|deploy*|change* unless --dry-run  # cloud: creates costs or deletes resources
command gcloud with word create|delete|deploy|update|patch|submit|start|stop|reset|resize|publish|import|export|add|remove|enable|disable|set|undelete|rollback|promote|move|copy|cp|mv|rm|call|execute|restore|add-*|remove-*|set-*|update-*|rolling-action unless config  # cloud: creates costs or deletes resources
command az with word create|delete|update|start|stop|restart|deallocate|purge|up|deploy|set|add|remove|assign|upload*|import|invoke|run|scale|swap|reset*|regenerate* unless config|configure|login|account  # cloud: creates costs or deletes resources
command gsutil cp|mv|rm|rsync|mb|rb|acl|iam|defacl|lifecycle unless -n  # cloud: overwritten objects cannot be restored
command doctl|hcloud|linode-cli|oci|ibmcloud|scw|vultr-cli with word create|delete|update|rebuild|resize|reboot|shutdown|destroy|terminate|add|remove|poweroff  # cloud: creates costs or deletes resources
command eksctl create|delete|upgrade|scale|drain                        # cloud: creates costs or deletes resources
command vault write|delete|kv|policy|token|secrets unless kv get|list or policy read|list  # cloud: others depend on it

# --- databases -----------------------------------------------------------------------------------
command psql|mysql|mariadb|sqlcmd|cockroach|clickhouse-client|snowsql with text insert|update|delete|drop|truncate|alter|create|grant|revoke|replace|merge|vacuum or -f|--file or input  # database: database rows cannot be restored
command bq query with text insert|update|delete|drop|truncate|alter|create|merge  # database: database rows cannot be restored
command bq rm|load|mk|cp|insert|update                                  # database: database rows cannot be restored
command mongosh|mongo with text insert*|update*|delete*|drop*|remove*|replace*|rename*|findandmodify  # database: documents cannot be restored
command redis-cli with text flushall|flushdb|set|del|unlink|hset|hdel|lpush|rpush|publish|expire|rename|eval|config  # database: keys cannot be restored
command dropdb|createdb|dropuser|createuser|pg_restore|mysqlimport|mongorestore|mongoimport  # database: database rows cannot be restored
command mysqladmin create|drop|shutdown|password                        # database: database rows cannot be restored
command prisma migrate|db deploy|reset|push|execute|resolve|seed        # database: database rows cannot be restored
command alembic|flyway|liquibase|dbmate|goose|sqitch upgrade|downgrade|migrate|clean|update|rollback|up|down|deploy|revert|drop  # database: database rows cannot be restored
command supabase db push|reset                                          # database: database rows cannot be restored

# --- HTTP requests -------------------------------------------------------------------------------
command curl with -X POST|PUT|PATCH|DELETE                              # http write: changes data on a server
command curl with -d|--data-raw|--data-binary|--data-ascii|--data-urlencode|--json|-F|--form-string|-T unless -G or -X GET|HEAD  # http write: changes data on a server
command wget with --post-data|--post-file|--body-data|--body-file or --method POST|PUT|PATCH|DELETE  # http write: changes data on a server
command http|https|xh post|put|patch|delete                             # http write: changes data on a server
command http|https|xh with word *=* unless get|head or word *==*        # http write: changes data on a server
command grpcurl|websocat|mqtt|mosquitto_pub|kcat|rabbitmqadmin unless list|describe or -C or -L  # http write: changes data on a server

# --- messages ------------------------------------------------------------------------------------
command mail|mailx|mutt|sendmail|msmtp|ssmtp|swaks|mpack|s-nail|himalaya unless list|read or envelope|folder|account or -f   # message: a sent message cannot be recalled
command twilio *messages:create|*calls:create|email:send|*:update|*:remove  # message: a sent message cannot be recalled
command slack|slackcat|telegram-send|signal-cli|ntfy|pushover           # message: a sent message cannot be recalled

# --- payments ------------------------------------------------------------------------------------
command stripe * create|update|delete|cancel|capture|confirm|pay|void*|finalize*|send*|close|approve|attach|detach  # payment: transfers money
command stripe post|delete|trigger                                      # payment: transfers money
command bitcoin-cli|lncli|cast|solana|eth send*|pay*|transfer|publish   # payment: transfers money

# --- tools ---------------------------------------------------------------------------------------
tool *send_email*                                                       # message: a sent message cannot be recalled
tool send|reply|forward|post|publish|broadcast|schedule email|mail|gmail|message|sms|chat|tweet|slack|whatsapp|telegram|discord|notification|comment|invite|newsletter  # message: a sent message cannot be recalled
tool create|update|delete|respond|add event|calendar|meeting|attendee   # message, reversible: notifies guests
tool tweet|sms|email                                                    # message: a sent message cannot be recalled
tool create|make|capture|confirm|execute|initiate|send|submit|cancel|update|finalize|add|issue payment|charge|refund|transfer|payout|invoice|subscription|order|checkout|intent|coupon|price  # payment: transfers money
tool charge|refund|pay|payout|withdraw|purchase|buy|checkout|wire|donate|swap  # payment: transfers money
tool book|reserve|order                                                 # payment: makes a commitment
tool create|update|merge|close|reopen|delete|push|fork|approve|submit|add|edit|request|dismiss|assign pull|issue|branch|repository|repo|release|tag|comment|review|gist|discussion|workflow|ticket|story|epic|label|milestone  # push, reversible: notifies everyone who watches it
tool push|create|update|delete file|files|commit|contents with owner * or repo *  # push, reversible: others may have fetched it
tool deploy|redeploy|rollback|promote|publish|unpublish|release         # deploy: takes effect for users at once
tool create|update|delete|start|stop|restart|reboot|terminate|scale|resize|destroy|provision|modify|purge|apply|attach|detach instance|server|vm|bucket|cluster|database|dns|zone|droplet|function|lambda|stack|deployment|service|container|volume|domain|certificate|secret|namespace|pod|queue|topic|role|policy|firewall|environment|env|project|site|app|worker|manifest|resource|user|account|member|customer|contact|record|webhook|flag  # cloud: creates costs or deletes resources
tool execute|run|apply|query sql|query|statement|migration|mutation|database|postgres|mysql|db|supabase|snowflake|bigquery|d1 with text insert|update|delete|drop|truncate|alter|create|grant|revoke|replace|merge|mutation  # database: database rows cannot be restored
tool insert|upsert|delete|drop|truncate row|rows|record|document|table|collection|index|item|entry|object  # database: database rows cannot be restored
tool http|https|fetch|request|webfetch|api|rest|curl|url with method POST|PUT|PATCH|DELETE  # http write: changes data on a server
"""
