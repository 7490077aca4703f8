import type { Context } from 'hono'
import { Refusal } from '../lib/errors.ts'

/** The entity tag of a version of an object's configuration. */
export function entityTag(version: number): string {
  return `"${version}"`
}

/** The version that `If-Match` demands; null when there is no such header or it is `*`.
 * @throws {Refusal} precondition_failed for a tag that no version of ours has */
export function ifMatch(c: Context): number | null {
  const header = c.req.header('if-match')
  if (header === undefined || header.trim() === '*') return null
  const version = /^(?:W\/)?"(\d{1,15})"$/.exec(header.trim())?.[1]
  if (version === undefined)
    throw new Refusal('precondition_failed', 'If-Match is not an entity tag of this object.')
  return Number(version)
}

/** Whether the caller has what this tag stands for already, as `If-None-Match` says (RFC 9110 section 13.1.2). */
export function isFresh({ headers }: Request, etag: string): boolean {
  const tags = headers.get('if-none-match')?.split(',') ?? []
  return tags.some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}

/** Holds a change to what the caller knows of what it changes, as `If-Match` and `If-None-Match` say (RFC 9110 sections
 * 13.1.1 and 13.1.2).
 * @param etag of what is there; null where nothing is @throws {Refusal} precondition_failed */
export function requireTag(request: Request, etag: string | null): void {
  const tags = request.headers
    .get('if-match')
    ?.split(',')
    .map((tag) => tag.trim())
  const isMet = tags === undefined || (etag !== null && (tags.includes('*') || tags.includes(etag)))
  const isOther = etag === null || !isFresh(request, etag)
  if (!isMet || !isOther)
    throw new Refusal('precondition_failed', 'It is not what the headers of the request say it has to be.')
}
