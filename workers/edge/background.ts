import * as platform from 'cloudflare:workers'

// Not all type libraries of the platform declare `waitUntil`.
const module = platform as unknown as { readonly waitUntil: (work: Promise<unknown>) => void }

/** Keeps the event that is being handled alive until the work has ended, beyond its answer. */
export const waitUntil = (work: Promise<unknown>): void => module.waitUntil(work)
