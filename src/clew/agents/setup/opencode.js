// clew:plugin - written by `clew enable opencode`, removed by `clew disable opencode`.
// Tells clew what opencode does, so that what it changes can be taken back.
// Without clew on the PATH it does nothing; whatever goes wrong in here, opencode goes on.
import { spawn } from "node:child_process"
import { accessSync, constants } from "node:fs"

const COMMAND = ["clew", "hook", "opencode"]
const PATIENCE_MS = 60000
const LONGEST_OUTPUT = 2048

/** Returns the program by its path; no relative entry of the PATH leads into somebody's project. */
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

/** Hands one event to clew; the answer is {} where clew says nothing, is missing, or fails. */
const tell = (cwd, event) =>
  new Promise((resolve) => {
    let said = ""
    let patience
    const end = () => {
      clearTimeout(patience)
      try {
        resolve(JSON.parse(said) ?? {})
      } catch {
        resolve({})
      }
    }
    try {
      // Python is to import nothing from the project, where PYTHONPATH may lead.
      const options = { cwd, env: { ...process.env, PYTHONPATH: "" }, stdio: ["pipe", "pipe", "ignore"] }
      const child = spawn(program(COMMAND[0]), COMMAND.slice(1), options)
      patience = setTimeout(() => child.kill(), PATIENCE_MS)
      child.on("error", end)
      child.on("close", end)
      child.stdin.on("error", () => {})
      child.stdout.on("data", (piece) => (said += piece))
      child.stdin.end(JSON.stringify({ cwd, ...event }))
    } catch {
      end()
    }
  })

export const ClewPlugin = async ({ directory }) => {
  const started = new Map()
  const say = (name, session_id, more = {}) => tell(directory, { hook_event_name: name, session_id, ...more })
  const start = (id) => {
    if (!started.has(id)) started.set(id, say("session.created", id))
    return started.get(id)
  }
  const words = (parts) => (parts ?? []).filter((part) => part.type === "text" && !part.synthetic)

  return {
    event: async ({ event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id
      if (event.type === "session.created" && session) await start(session)
      if (event.type === "session.idle") await say("session.idle", session)
    },
    "chat.message": async (input, output) => {
      const first = await start(input.sessionID) // also where a session goes on that is not new
      started.set(input.sessionID, {}) // its words are passed on once
      const texts = words(output.parts)
      const answer = await say("chat.message", input.sessionID, { prompt: texts.map((part) => part.text).join("\n") })
      const context = [first.context, answer.context].filter(Boolean).join("\n\n")
      if (context && texts.length) texts[texts.length - 1].text += "\n\n" + context
    },
    "tool.execute.before": async (input, output) => {
      const call = { tool_name: input.tool, tool_call_id: input.callID, tool_input: output.args }
      const { deny } = await say("tool.execute.before", input.sessionID, call)
      if (deny) throw new Error(String(deny))
    },
    "tool.execute.after": async (input, output) => {
      const text = typeof output?.output === "string" ? output.output : ""
      const call = { tool_name: input.tool, tool_call_id: input.callID, tool_input: input.args }
      const ended = { exit: output?.metadata?.exit ?? null, output: text.slice(0, LONGEST_OUTPUT) }
      const { context } = await say("tool.execute.after", input.sessionID, { ...call, ...ended })
      if (context && output) output.output = text ? `${text}\n\n${context}` : context
    },
  }
}
