import { DurableObject } from 'cloudflare:workers'

import type { PermitRequest } from '../../src/ports/permits.ts'
import { PermitCounter } from '../databases/permits.ts'
import type { Environment } from './environment.ts'
import { replyOf } from './reply.ts'
import type { Reply } from './reply.ts'

/** The one object that counts permits, in its memory. An eviction forgets them; the next permits are then given as if none
 * were in use. */
export class PermitsObject extends DurableObject<Environment> {
  readonly #counter = new PermitCounter(() => Date.now())

  take(request: PermitRequest): Promise<Reply<number>> {
    return replyOf(() => this.#counter.take(request))
  }

  leave(id: number): void {
    this.#counter.leave(id)
  }
}
