"""Option table: the options of programs with external effects.

Only what is needed to separate words from options and to unify spellings: which options take a value,
their short names, and which only affect output, prompts or waiting.
"""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple


class Known(NamedTuple):
    """The options of a program; `X=request` gives a short name."""

    values: str = ""
    switches: str = ""
    ignored: str = ""
    """Options that only affect output, prompts or waiting."""
    directories: str = ""
    one_dash: bool = False
    """Long names may begin with a single dash."""
    attached: str = ""
    """Options whose value, if any, is attached."""


_GIT = Known(
    "C c git-dir work-tree o=push-option repo receive-pack m=message",
    "f=force u=set-upstream d=delete n=dry-run v=verbose q=quiet a=all tags follow-tags mirror"
    " prune atomic porcelain progress force-with-lease force-if-includes amend",
    "set-upstream no-verify porcelain thin",
    "C",
)
_NPM = Known(
    "prefix C cwd dir w=workspace F=filter tag access registry otp userconfig",
    "f=force g=global ws=workspaces r=recursive provenance new-version",
    "otp git-checks no-git-checks",
    "prefix C cwd dir",
)
_KUBECTL = Known(
    "n=namespace f=filename l=selector c=container o=output k=kustomize context cluster kubeconfig"
    " user replicas image p=patch type v=v timeout grace-period field-manager as from schedule port"
    " from-literal from-file env cascade",
    "A=all-namespaces R=recursive w=watch all force now wait server-side record prune",
    "output v timeout wait watch field-manager record",
)
_HELM = Known(
    "n=namespace f=values set set-string set-file set-json version kube-context timeout repo",
    "i=install reuse-values reset-values create-namespace atomic wait devel",
    "wait timeout create-namespace",
)
_TERRAFORM = Known(
    "var var-file target chdir state state-out backend-config parallelism replace lock-timeout",
    "auto-approve destroy refresh-only input lock refresh compact-warnings json",
    "input lock lock-timeout parallelism compact-warnings json",
    "chdir",
    one_dash=True,
)
_DOCKER = Known(
    "t=tag f=file e=env v=volume p=publish name network platform build-arg label user u=user"
    " w=workdir entrypoint H=host context restart env-file m=memory cpus mount output",
    "d=detach i=interactive rm no-cache pull push load a=all all-tags force",
    "detach interactive no-cache pull load rm",
)
_DOCKER_RUN = _DOCKER._replace(
    values=_DOCKER.values.replace("t=tag ", ""), switches=_DOCKER.switches + " t=tty",
    ignored=_DOCKER.ignored + " tty",
)  # fmt: skip
_GH = Known(
    "t=title b=body F=body-file l=label a=assignee r=reviewer R=repo B=base H=head m=milestone"
    " n=notes notes-file target p=project subject reason",
    "d=draft s=squash merge rebase delete-branch auto admin fill web prerelease latest generate-notes",
    "web",
)
_SQL = "d=database dbname h=host f=file o=output"

KNOWN = {
    "curl": Known(
        "X=request d=data data-raw data-binary data-ascii data-urlencode json H=header F=form"
        " form-string u=user o=output T=upload-file A=user-agent e=referer b=cookie c=cookie-jar"
        " m=max-time w=write-out x=proxy E=cert K=config r=range url url-query retry retry-delay"
        " retry-max-time connect-timeout cacert key resolve oauth2-bearer unix-socket",
        "s=silent S=show-error f=fail L=location k=insecure v=verbose i=include I=head G=get"
        " g=globoff N=no-buffer O=remote-name J=remote-header-name compressed fail-with-body"
        " http1.1 http2 4=ipv4 6=ipv6 #=progress-bar",
    ),
    "wget": Known(
        "O=output-document post-data post-file method body-data body-file header U=user-agent"
        " user password T=timeout t=tries o=output-file P=directory-prefix",
        "q=quiet c=continue no-check-certificate",
    ),
    "http": Known("a=auth A=auth-type o=output session", "f=form j=json v=verbose b=body h=headers"),
    "git": _GIT,
    "npm": _NPM,
    "pnpm": _NPM,
    "yarn": _NPM,
    "bun": _NPM,
    "kubectl": _KUBECTL,
    "oc": _KUBECTL,
    "helm": _HELM,
    "terraform": _TERRAFORM,
    "tofu": _TERRAFORM,
    "docker": _DOCKER,
    "podman": _DOCKER,
    "docker login": Known("u=username p=password", "password-stdin"),
    "docker run": _DOCKER_RUN,
    "podman run": _DOCKER_RUN,
    "gh": _GH,
    "gh api": Known("X=method f=field F=field raw-field H=header input q=jq t=template hostname"),
    "gh release": _GH._replace(
        values=_GH.values.replace("F=body-file ", "F=notes-file ").replace(" p=project", ""),
        switches="d=draft p=prerelease latest generate-notes",
    ),
    "aws": Known("", "recursive dryrun force delete", "output query only-show-errors cli-connect-timeout"),
    "gcloud": Known("", "q=quiet async", "format verbosity async"),
    "az": Known("n=name g=resource-group l=location o=output", "y=yes no-wait", "output no-wait"),
    "psql": Known(
        "c=command U=username p=port v=variable " + _SQL,
        "q=quiet t=tuples-only A=no-align x=expanded 1=single-transaction X=no-psqlrc w=no-password",
        "tuples-only no-align expanded no-psqlrc no-password output",
    ),
    "mysql": Known("e=execute P=port u=user " + _SQL, "N=skip-column-names B=batch s=silent",
                    "skip-column-names batch", attached="p=password"),
    "mail": Known("s=subject c=cc b=bcc a=attach r=from A=account"),
    "poetry": Known("r=repository u=username p=password C=directory", "n=no-interaction build",
                     "no-interaction username", "directory"),
    "twine": Known(
        "u=username p=password r=repository repository-url c=comment config-file",
        "skip-existing non-interactive disable-progress-bar",
        "username disable-progress-bar comment",
    ),
    "cargo": Known("p=package registry token index manifest-path F=features j=jobs",
                    "allow-dirty no-verify n=dry-run", "jobs no-verify"),
    "rsync": Known(
        "e=rsh exclude include f=filter",
        "a=archive v=verbose z=compress r=recursive n=dry-run h=human-readable P=partial-progress"
        " delete progress stats t=times u=update",
        "compress human-readable partial-progress stats rsh",
    ),
    "scp": Known("i=identity P=port o=option F=config l=limit", "r=recursive q=quiet p=preserve C v=verbose",
                  "identity option config limit C preserve"),
    "make": Known("C f=file j=jobs", "n=dry-run B=always-make k=keep-going s=silent", "jobs", "C"),
    "vercel": Known("t=token e=env b=build-env S=scope cwd A=local-config", "prod y=yes f=force", "", "cwd"),
    "netlify": Known("d=dir m=message s=site a=auth alias", "p=prod"),
    "heroku": Known("a=app r=remote"),
    "fly": Known("a=app c=config i=image r=region"),
    "pulumi": Known("s=stack m=message cwd C", "y=yes f=skip-preview", "skip-preview", "cwd C"),
    "ansible-playbook": Known("i=inventory l=limit e=extra-vars t=tags u=user", "C=check D=diff b=become", "diff"),
    "stripe": Known("d=data api-key"),
    "redis-cli": Known("h=host p=port n=db a=pass u=uri"),
    "at": Known("f=file q=queue"),
}  # fmt: skip
ALIASES = {
    "https": "http", "mailx": "mail", "mutt": "mail", "flyctl": "fly", "mariadb": "mysql",
    "pip3": "pip", "python3": "python",
}  # fmt: skip

OTHERS = frozenset(
    (
        "apt", "apt-get", "bash", "brew", "bundle", "cd", "cp", "crontab", "doctl", "eb", "eas",
        "env", "firebase", "gem", "glab", "go", "gradle", "hub", "kill", "mongosh", "mv", "mvn",
        "nohup", "npx", "pip", "python", "reboot", "rm", "sendmail",
        "serverless", "sh", "sls", "sqlite3", "ssh", "sudo", "supabase", "systemctl", "swaks",
        "tofu", "uv", "wrangler",
    )
)  # fmt: skip
