import type { Progress } from '../../../src/automation/runs/protocol.ts'
import { cutText, oneLine } from '../../../src/lib/text.ts'

const MESSAGE_MAX = 1_000

/** A command of a job to its runner in a line of its output. */
export type Command = { readonly progress: Progress } | { readonly output: string }

/** Reads `::tidemark progress=0.42 message=…`, either part of it, or `::tidemark output=…`; null for every other line. */
export function readCommand(line: string): Command | null {
  const command = /^::tidemark +(.*)$/s.exec(line)?.[1]
  if (command === undefined) return null
  const output = /^output=(.+)$/.exec(command)?.[1]?.trim()
  if (output !== undefined && output !== '') return { output }
  const said = /^(?:progress=(\S+))?(?: *message=(.*))?$/.exec(command)
  if (!said || command === '') return null
  return progressOf(said[1], said[2])
}

/** Reads the progress file of a job, whose last line is a number from 0 to 1 and a message. */
export function readProgressFile(text: string): Progress | null {
  const line = text.trimEnd().split('\n').at(-1) ?? ''
  const said = /^\s*(\S+)(?:\s+(.*))?$/.exec(line)
  const command = said && progressOf(said[1], said[2])
  return command?.progress ?? null
}

function progressOf(
  number: string | undefined,
  message: string | undefined,
): { readonly progress: Progress } | null {
  const value = number === undefined ? null : Number(number)
  if (value !== null && !(value >= 0 && value <= 1)) return null
  const shown = message === undefined ? null : cutText(oneLine(message), MESSAGE_MAX)
  return { progress: { value, message: shown } }
}
