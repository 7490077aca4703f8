import { DurableObject } from 'cloudflare:workers'

import { refusalIn } from '../../src/lib/errors.ts'
import type { PermitRequest } from '../../src/ports/permits.ts'
import { PermitCounter } from '../databases/permits.ts'
import type { Environment } from './environment.ts'
import { refused } from './reply.ts'
import type { Reply } from './reply.ts'

/** The one object that counts permits, in its memory. An eviction forgets them; the next permits are then given as if none
 * were in use. */
export class PermitsObject extends DurableObject<Environment> {
  readonly #counter = new PermitCounter(() => Date.now())

  async take(request: PermitRequest): Promise<Reply<number>> {
    try {
      return { ok: true, value: await this.#counter.take(request) }
    } catch (error) {
      const refusal = refusalIn(error)
      if (refusal) return refused(refusal)
      throw error
    }
  }

  leave(id: number): void {
    this.#counter.leave(id)
  }
}
