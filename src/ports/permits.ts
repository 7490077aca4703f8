/** A semaphore for the whole installation. A permit whose holder is gone expires. */
export interface Permits {
  /** @throws {Refusal} pool_exhausted when none is free within `waitMs` */
  take(ask: PermitRequest): Promise<Permit>
}

export type PermitRequest = {
  readonly kind: 'connection' | 'refresh'
  /** Permits of one group have a bound of their own. */
  readonly group: string
  readonly groupMax: number
  readonly waitMs: number
  /** After this time the permit is free again. */
  readonly leaseMs: number
}

export type Permit = { leave(): Promise<void> }
