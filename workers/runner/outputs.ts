import { basename } from 'node:path'

import { OUTPUT_MAX_BYTES, OUTPUTS_MAX } from '../../src/automation/runs/protocol.ts'
import { Refused } from './client.ts'
import type { AttemptClient } from './client.ts'
import type { JobDirectory } from './left-files.ts'

/** Names that are remembered until the run ends: more than are published, so that surplus names are reported. */
const NAMED_MAX = 2 * OUTPUTS_MAX
const FULL = `a run can produce at most ${OUTPUTS_MAX} files.`

type OutputsParts = {
  readonly attempt: AttemptClient
  /** Adds a line to the log of the job for a file that was not published. */
  readonly note: (text: string) => void
}

/** The files of a job that are published after its end, within the limits of a run. */
export class Outputs {
  readonly #parts: OutputsParts
  readonly #named = new Set<string>()
  readonly #published = new Set<string>()
  /** Calls of `name` with names that were not remembered. */
  #surplus = 0

  constructor(parts: OutputsParts) {
    this.#parts = parts
  }

  /** Adds a file, by its path in the directory of the script, to the files that `publishNamed` publishes. */
  name(path: string): void {
    if (this.#named.size < NAMED_MAX) this.#named.add(path)
    else if (!this.#named.has(path)) this.#surplus += 1
  }

  async publishNamed(from: JobDirectory): Promise<void> {
    for (const path of this.#named) await this.#publish(from, path)
    this.#noteSurplus(this.#surplus)
  }

  async publishAll(from: JobDirectory): Promise<void> {
    const names = await from.names()
    for (const name of names.slice(0, NAMED_MAX)) await this.#publish(from, name)
    this.#noteSurplus(names.length - NAMED_MAX)
  }

  #noteSurplus(count: number): void {
    if (count > 0) this.#parts.note(`Further output files were not uploaded (${count}): ${FULL}`)
  }

  async #publish(from: JobDirectory, path: string): Promise<void> {
    const refusal = await this.#upload(from, path)
    if (refusal !== null) this.#parts.note(`${path} was not uploaded: ${refusal}`)
  }

  /** @returns the reason why the file was not uploaded; null if it was */
  async #upload(from: JobDirectory, path: string): Promise<string | null> {
    const name = basename(path).normalize('NFC')
    const isMore = !this.#published.has(name)
    if (isMore && this.#published.size >= OUTPUTS_MAX) return FULL
    const bytes = await from.read(path, OUTPUT_MAX_BYTES + 1)
    if (bytes === null) return 'no regular file has this name. Links are not followed.'
    if (bytes.length > OUTPUT_MAX_BYTES) return `the file has more than ${OUTPUT_MAX_BYTES} bytes.`
    try {
      await this.#parts.attempt.output(name, bytes)
    } catch (error) {
      if (error instanceof Refused) return error.message
      throw error
    }
    if (!isMore) this.#parts.note(`${path} replaced an earlier output file, which had the same name.`)
    this.#published.add(name)
    return null
  }
}
