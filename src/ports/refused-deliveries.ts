import type { RefusedDelivery } from '../domain/refused-delivery.ts'

/** The latest refused deliveries of each job. They are a help for people and not durable: a host bounds their memory and their writes,
 * and may lose them. */
export interface RefusedDeliveries {
  /** Records a refusal. Never throws, and does not wait for a write. */
  record(jobId: number, refused: RefusedDelivery): void
  /** The recorded refusals of a job, latest first. */
  list(jobId: number): Promise<readonly RefusedDelivery[]>
}
