// clew:plugin - written by `clew enable opencode`, removed by `clew disable opencode`.
// Sends opencode's events to clew, which takes checkpoints of what opencode changes.
// Without clew on the PATH it does nothing; no error in here stops opencode.
import { spawn } from "node:child_process"
import { accessSync, constants } from "node:fs"

const COMMAND = ["clew", "hook", "opencode"]
const TIMEOUT_MS = 60000
const MAX_OUTPUT = 2048

/** Returns the path of the program; relative PATH entries, which may lead into the project, are ignored. */
const program = (name) => {
  if (name.startsWith("/")) return name
  const places = (process.env.PATH ?? "").split(":").filter((place) => place.startsWith("/"))
  return places.map((place) => `${place}/${name}`).find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Sends one event to clew; resolves to {} if clew prints nothing, is missing, or fails. */
const send = (cwd, event) =>
  new Promise((resolve) => {
    let stdout = ""
    let timeout
    const finish = () => {
      clearTimeout(timeout)
      try {
        resolve(JSON.parse(stdout) ?? {})
      } catch {
        resolve({})
      }
    }
    try {
      // PYTHONPATH may lead into the project: Python must import nothing from there.
      const options = { cwd, env: { ...process.env, PYTHONPATH: "" }, stdio: ["pipe", "pipe", "ignore"] }
      const child = spawn(program(COMMAND[0]), COMMAND.slice(1), options)
      timeout = setTimeout(() => child.kill(), TIMEOUT_MS)
      child.on("error", finish)
      child.on("close", finish)
      child.stdin.on("error", () => {})
      child.stdout.on("data", (piece) => (stdout += piece))
      child.stdin.end(JSON.stringify({ cwd, ...event }))
    } catch {
      finish()
    }
  })

export const ClewPlugin = async ({ directory }) => {
  const started = new Map()
  const sendEvent = (name, session_id, more = {}) => send(directory, { hook_event_name: name, session_id, ...more })
  const start = (id) => {
    if (!started.has(id)) started.set(id, sendEvent("session.created", id))
    return started.get(id)
  }
  const textParts = (parts) => (parts ?? []).filter((part) => part.type === "text" && !part.synthetic)

  return {
    event: async ({ event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id
      if (event.type === "session.created" && session) await start(session)
      if (event.type === "session.idle") await sendEvent("session.idle", session)
    },
    "chat.message": async (input, output) => {
      const first = await start(input.sessionID) // also for a resumed session
      started.set(input.sessionID, {}) // its context is passed on once
      const texts = textParts(output.parts)
      const answer = await sendEvent("chat.message", input.sessionID, { prompt: texts.map((part) => part.text).join("\n") })
      const context = [first.context, answer.context].filter(Boolean).join("\n\n")
      if (context && texts.length) texts[texts.length - 1].text += "\n\n" + context
    },
    "tool.execute.before": async (input, output) => {
      const call = { tool_name: input.tool, tool_call_id: input.callID, tool_input: output.args }
      const { deny } = await sendEvent("tool.execute.before", input.sessionID, call)
      if (deny) throw new Error(String(deny))
    },
    "tool.execute.after": async (input, output) => {
      const text = typeof output?.output === "string" ? output.output : ""
      const call = { tool_name: input.tool, tool_call_id: input.callID, tool_input: input.args }
      const ended = { exit: output?.metadata?.exit ?? null, output: text.slice(0, MAX_OUTPUT) }
      const { context } = await sendEvent("tool.execute.after", input.sessionID, { ...call, ...ended })
      if (context && output) output.output = text ? `${text}\n\n${context}` : context
    },
  }
}
