/** Multiples of the golden ratio are spread evenly within 0 to 1: so are the slots of consecutive ids. */
const GOLDEN = (Math.sqrt(5) - 1) / 2

/** The next slot of a job after an instant, epoch ms. A job has one slot in each period. The slots of jobs are spread over
 * the period, and do not depend on the start of the process. */
export function nextSlot(jobId: number, periodMs: number, afterAt: number): number {
  const place = Math.floor(((jobId * GOLDEN) % 1) * periodMs)
  return (Math.floor((afterAt - place) / periodMs) + 1) * periodMs + place
}

const JOBS_PER_PAGE_GROUP = 64

/** A number that jobs have in common if their rows share database pages. */
export function pageGroupOf(jobId: number): number {
  return Math.floor(jobId / JOBS_PER_PAGE_GROUP)
}
