// redline: the edits of opencode become proposals that a person decides. Made by `redline init --agent opencode`.
import { spawnSync } from "node:child_process"

const PROGRAM = "redline-agent"
const FAILED = "Not written: redline's hook failed. Tell the person, and do not use another tool for this edit"

export const Redline = async ({ directory }) => {
  const ask = (event) => {
    const input = JSON.stringify({ directory, ...event })
    const run = spawnSync(PROGRAM, ["hook", "opencode"], { input, encoding: "utf8", timeout: 30000 })
    try {
      return run.status === 0 ? JSON.parse(run.stdout) : { deny: FAILED }
    } catch {
      return { deny: FAILED }
    }
  }
  return {
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      if (!["edit", "multiedit", "write", "patch", "apply_patch", "bash"].includes(tool)) return
      const { deny } = ask({ event: "tool.execute.before", tool, sessionID, callID, args })
      if (deny) throw new Error(deny)
    },
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const { context } = ask({ event: "chat.message", sessionID })
      if (!context) return
      const id = `prt_${Date.now().toString(16)}redline`
      parts.push({ id, sessionID, messageID: message.id, type: "text", text: context, synthetic: true })
    },
    event: async ({ event }) => {
      if (event.type === "session.idle") ask({ event: "session.idle", sessionID: event.properties.sessionID })
    },
  }
}
