import { Refusal } from '../lib/errors.ts'

/** Bytes of larger bodies that may be taken in at once; past them requests are refused before any of theirs is read. */
export const RESERVED_BYTES_MAX = 32 * 1024 * 1024

/** Smaller bodies are not counted: whoever sends large ones slowly must not shut out sign-ins and single values. */
export const SMALL_BYTES_MAX = 16 * 1024

/** What this process or isolate takes in just now; its memory is what has to last. */
let heldBytes = 0

/** At the edge a request whose sender leaves just stops, and gives nothing back: what it would have called is gone. */
const stopped = new FinalizationRegistry<number>((sizeBytes) => {
  heldBytes -= sizeBytes
})

/** Counts a body until the function that it returns is called, once, or can be called by nobody any more.
 * @throws {Refusal} overloaded */
export function reserveBytes(sizeBytes: number): () => void {
  if (sizeBytes <= SMALL_BYTES_MAX) return nothing
  if (heldBytes + sizeBytes > RESERVED_BYTES_MAX) {
    throw new Refusal('overloaded', 'The service is receiving too many large requests. Try again shortly.')
  }
  heldBytes += sizeBytes
  const release = () => {
    stopped.unregister(release)
    heldBytes -= sizeBytes
  }
  stopped.register(release, sizeBytes, release)
  return release
}

/** Counts so many bytes while something is done with them. @throws {Refusal} overloaded */
export async function whileHeld<Result>(sizeBytes: number, run: () => Promise<Result>): Promise<Result> {
  const release = reserveBytes(sizeBytes)
  try {
    return await run()
  } finally {
    release()
  }
}

const nothing = () => undefined
