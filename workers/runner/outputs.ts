import { basename } from 'node:path'

import { OUTPUT_MAX_BYTES, OUTPUTS_MAX } from '../../src/automation/runs/protocol.ts'
import { Refused } from './client.ts'
import type { AttemptClient } from './client.ts'
import type { JobDirectory } from './left-files.ts'

/** Names that are remembered until the run ends: more than are published, so that each surplus name is reported. */
const NAMED_MAX = 2 * OUTPUTS_MAX

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

  constructor(parts: OutputsParts) {
    this.#parts = parts
  }

  /** Adds a file, by its path in the directory of the script, to the files that `publishNamed` publishes. */
  name(path: string): void {
    if (this.#named.size < NAMED_MAX) this.#named.add(path)
  }

  async publishNamed(from: JobDirectory): Promise<void> {
    for (const path of this.#named) await this.#publish(from, path)
  }

  async publishAll(from: JobDirectory): Promise<void> {
    const names = await from.names()
    for (const name of names.slice(0, NAMED_MAX)) await this.#publish(from, name)
  }

  async #publish(from: JobDirectory, path: string): Promise<void> {
    const refusal = await this.#upload(from, path)
    if (refusal !== null) this.#parts.note(`${path} was not uploaded: ${refusal}`)
  }

  /** @returns the reason why the file was not uploaded; null if it was */
  async #upload(from: JobDirectory, path: string): Promise<string | null> {
    const name = basename(path).normalize('NFC')
    const isMore = !this.#published.has(name)
    if (isMore && this.#published.size >= OUTPUTS_MAX)
      return `a run can produce at most ${OUTPUTS_MAX} files.`
    const bytes = await from.read(path, OUTPUT_MAX_BYTES + 1)
    if (bytes === null) return 'the file does not exist.'
    if (bytes.length > OUTPUT_MAX_BYTES) return `the file has more than ${OUTPUT_MAX_BYTES} bytes.`
    try {
      await this.#parts.attempt.output(name, bytes)
    } catch (error) {
      if (error instanceof Refused) return error.message
      throw error
    }
    this.#published.add(name)
    return null
  }
}
