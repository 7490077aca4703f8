import * as z from 'zod'
import { isNestedWithin } from '../../lib/nesting.ts'
import { isStorable } from '../../lib/text.ts'
import { languageTag, storableText } from '../../http/text-schemas.ts'

/** Tables and columns of one data source that have a note. */
export const NOTES_MAX = 2_000
const NAME_MAX = 255
const COMMENT_MAX = 4_000
const ANNOTATIONS_MAX_BYTES = 4_096
const ANNOTATION_MAX = 255
const LEVELS_MAX = 100

export const tableName = storableText.min(1).max(NAME_MAX).describe('The name of a table or view.')
export const columnName = storableText.min(1).max(NAME_MAX).describe('The name of a column.')

const annotation = storableText.min(1).max(ANNOTATION_MAX).optional()

/** Fields that Tidemark knows; others are kept as they are. */
const known = z.looseObject({
  displayName: z.record(languageTag, storableText.min(1).max(ANNOTATION_MAX)).optional(),
  unit: annotation,
  format: annotation,
  semanticType: z.enum(['latitude', 'longitude', 'currency', 'url', 'category']).optional(),
  hidden: z.boolean().optional(),
})

export const annotationsBody = known
  .refine(
    (annotations) => Object.keys(annotations).every(isStorable),
    'must have names that are Unicode text without NUL',
  )
  .refine((annotations) => isNestedWithin(annotations, LEVELS_MAX), {
    error: `must be nested at most ${LEVELS_MAX} levels deep`,
    abort: true,
  })
  .refine(
    (annotations) =>
      new TextEncoder().encode(JSON.stringify(annotations)).byteLength <= ANNOTATIONS_MAX_BYTES,
    `must be at most ${ANNOTATIONS_MAX_BYTES} bytes of JSON`,
  )

/** Null in a merge patch removes each of these fields. */
export const ANNOTATIONS_UNSET = Object.fromEntries(
  Object.keys(known.shape).map((field) => [`/${field}`, undefined]),
)

export const annotations = z
  .record(z.string(), z.unknown())
  .describe(
    'Known fields are `displayName` (a name for each language), `unit`, `format`, `semanticType` and `hidden`; others are kept.',
  )
  .meta({ examples: [{ displayName: { de: 'Region' }, semanticType: 'category' }] })

export const comment = z
  .string()
  .nullable()
  .meta({ examples: ['Orders of the web shop'] })

export const commentText = storableText.min(1).max(COMMENT_MAX).nullable()

export const commentBody = z.strictObject({
  comment: commentText.describe('The comment; null removes it.'),
  target: z
    .enum(['overlay', 'source'])
    .default('overlay')
    .describe(
      '`overlay` keeps the comment in Tidemark and leaves the database as it is; `source` writes it to the database by `COMMENT ON`; the data source must be of the type `postgresql` and not `readOnly`.',
    ),
})

export const noteView = z.object({ comment, annotations }).meta({ id: 'DataSourceNote' })

export type CommentBody = z.output<typeof commentBody>
export type NoteView = z.output<typeof noteView>
