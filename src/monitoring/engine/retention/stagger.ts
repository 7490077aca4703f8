/** Multiples of it fall apart evenly within 0 to 1, however many follow each other: so do the turns of consecutive ids. */
const GOLDEN = (Math.sqrt(5) - 1) / 2

/** When a job's next turn comes after an instant, where each has one in every period, at a moment of its own: many jobs
 * never have theirs together, and a restart changes nothing. Epoch ms. */
export function nextSlot(jobId: number, periodMs: number, afterAt: number): number {
  const place = Math.floor(((jobId * GOLDEN) % 1) * periodMs)
  return (Math.floor((afterAt - place) / periodMs) + 1) * periodMs + place
}

const JOBS_PER_PAGE_GROUP = 64

/** The same number for jobs whose rows lie side by side, if they are in one database. */
export function pageGroupOf(jobId: number): number {
  return Math.floor(jobId / JOBS_PER_PAGE_GROUP)
}
