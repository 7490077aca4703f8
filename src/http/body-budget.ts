import { Refusal } from '../lib/errors.ts'

/** Bytes of larger bodies that may be taken in at once; past them requests are refused before any of theirs is read. */
export const RESERVED_BYTES_MAX = 32 * 1024 * 1024

/** Smaller bodies are not counted: slow senders of large bodies must not shut out sign-ins and single values. */
export const SMALL_BYTES_MAX = 16 * 1024

/** The bytes of bodies in the memory of this process or isolate. */
let heldBytes = 0

/** At the edge a request whose client leaves stops without a call of its release function. */
const stopped = new FinalizationRegistry<number>((sizeBytes) => {
  heldBytes -= sizeBytes
})

/** Counts a body until its release function is called or garbage-collected.
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
