import { Refusal, refusalIn } from '../../../lib/errors.ts'
import type { Ports } from '../../../ports/index.ts'

/** What the store of blobs answers. @throws {Refusal} unavailable where it fails */
export async function reachable<Result>({ log }: Ports, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask()
  } catch (error) {
    const refusal = refusalIn(error)
    if (refusal) throw refusal
    log.error('the store of backups failed', error)
    throw new Refusal('unavailable', 'Backups cannot be stored or read just now.')
  }
}
