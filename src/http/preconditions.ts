import type { Context } from '../context.ts'
import { sha256 } from '../lib/digest.ts'
import { Refusal, stale } from '../lib/errors.ts'
import { retryOnConflict } from '../lib/retry.ts'
import { commit, guardVersion, isOffVersion } from '../ports/database.ts'
import type { VersionedRow, Write } from '../ports/database.ts'

/** The entity tag of a version of an object's configuration. */
export function entityTag(version: number): string {
  return `"${version}"`
}

/** The version that `If-Match` of the request demands; null without a request, without the header and for `*`. A weak tag
 * counts as the strong one: proxies that compress weaken our tags, which name versions and no bytes.
 * @throws {Refusal} precondition_failed for a tag that no version of ours has */
export function demandedVersion({ request }: Pick<Context, 'request'>): number | null {
  const header = request?.headers.get('if-match')?.trim()
  if (header === undefined || header === '*') return null
  const version = /^(?:W\/)?"(\d{1,15})"$/.exec(header)?.[1]
  if (version === undefined)
    throw new Refusal('precondition_failed', 'If-Match must have an ETag of this object.')
  return Number(version)
}

/** Refuses another version than the caller demands.
 * @param demanded as `demandedVersion` @param version undefined where there is no object @throws {Refusal} precondition_failed */
export function refuseStale(demanded: number | null, version: number | undefined, noun: string): void {
  if (demanded !== null && demanded !== version) throw stale(noun)
}

/** Runs a change, and again after a concurrent one if the caller demands no version.
 * @throws {Refusal} overloaded after 50 conflicts; any error of `change` */
export function changeWithRetry<Result>(
  version: number | null,
  change: () => Promise<Result>,
): Promise<Result> {
  return version === null ? retryOnConflict(isStale, change) : change()
}

function isStale(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'precondition_failed'
}

/** The writes that hold a removal to the version that `If-Match` of the request demands; none where it demands none.
 * They fail as `isOffVersion` tells. @throws {Refusal} precondition_failed */
export function heldToVersion(context: Context, row: VersionedRow): readonly Write[] {
  const version = demandedVersion(context)
  if (version === null) return []
  refuseStale(version, row.version, 'object')
  return [guardVersion(context.ports.database, row)]
}

/** Commits writes that remove something, held as `heldToVersion` does. @throws {Refusal} precondition_failed */
export async function commitIfMatch(
  context: Context,
  row: VersionedRow,
  writes: readonly Write[],
): Promise<void> {
  try {
    await commit(context.ports.database, [...heldToVersion(context, row), ...writes])
  } catch (error) {
    throw isOffVersion(error, row.table) ? stale('object') : error
  }
}

/** The tag of an answer, by its contents. */
export async function contentTag(text: string): Promise<string> {
  return `"${(await sha256(text)).slice(0, 32)}"`
}

/** The answer to a caller that has the contents of a tag. */
export const UNCHANGED = { description: 'Unchanged since the ETag in If-None-Match.' } as const

/** Whether the caller has what this tag stands for already, as `If-None-Match` says (RFC 9110 section 13.1.2). */
export function isFresh({ headers }: Request, etag: string): boolean {
  const tags = headers.get('if-none-match')?.split(',') ?? []
  return tags.some((tag) => tag.trim() === '*' || strongTag(tag) === etag)
}

/** Checks the preconditions `If-Match` and `If-None-Match` of a change (RFC 9110 sections
 * 13.1.1 and 13.1.2), weak tags of `If-Match` as in `demandedVersion`.
 * @param etag the tag of the present object; null without one @throws {Refusal} precondition_failed */
export function requireTag(request: Request, etag: string | null): void {
  const tags = request.headers.get('if-match')?.split(',').map(strongTag)
  const isMet = tags === undefined || (etag !== null && (tags.includes('*') || tags.includes(etag)))
  const isOther = etag === null || !isFresh(request, etag)
  if (!isMet || !isOther)
    throw new Refusal('precondition_failed', 'The precondition in If-Match or If-None-Match does not hold.')
}

/** Whether `If-None-Match: *` demands that a creation is the first of its name. */
export function demandsNew({ request }: Pick<Context, 'request'>): boolean {
  return request?.headers.get('if-none-match')?.trim() === '*'
}

/** As `requireTag`, for a room's verb: nothing is demanded where the service itself acts. @throws {Refusal} precondition_failed */
export function holdToTag({ request }: Context, etag: string | null): void {
  if (request) requireTag(request, etag)
}

function strongTag(tag: string): string {
  return tag.trim().replace(/^W\//, '')
}
