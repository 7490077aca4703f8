import { Refusal } from './errors.ts'

/** Attempts before a writer gives up that always loses to concurrent writers. */
const ATTEMPTS_MAX = 50

/** Runs an optimistic write again for as long as it fails because of a concurrent one. `attempt` must read its input anew each
 * time. @throws {Refusal} overloaded after 50 attempts; any error of `attempt` that is not a conflict */
export async function retryOnConflict<Result>(
  isConflict: (error: unknown) => boolean,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isConflict(error)) throw error
    }
  }
  throw new Refusal('overloaded', 'Too many concurrent requests change the same object. Try again shortly.')
}
