import { Refusal } from '../src/lib/errors.ts'

/** The code with which something is refused; null where it is not. @throws what is no refusal */
export function codeOf(take: () => unknown): string | null {
  try {
    take()
    return null
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}
