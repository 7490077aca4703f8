import * as z from 'zod'
import { pathOf } from '../path.ts'

export const PATH_SAID =
  'must have 1 to 16 names separated by slashes, each of 1 to 255 bytes without backslashes and not only dots, and at most 1,024 bytes in total'

/** Empty for an invalid path. */
export const treePath = z.object({
  script: z.string().min(1).max(255),
  path: z
    .string()
    .transform((text) => pathOf(text) ?? '')
    .meta({ type: 'string' }),
})

const path = z
  .string()
  .max(4_096)
  .refine((text) => pathOf(text) !== null, PATH_SAID)
  .overwrite((text) => pathOf(text) ?? text)

export const moveBody = z.strictObject({ from: path, to: path })

export const directoryQuery = z.object({
  type: z.literal('directory').describe('Creates a directory.'),
})

export const entryView = z
  .object({
    path: z.string(),
    type: z.enum(['file', 'directory']),
    size: z.int().describe('The size in bytes; 0 for a directory.'),
    mimeType: z.string(),
    sha256: z
      .string()
      .describe('SHA-256 in hexadecimal digits, which is also the ETag; empty for a directory.'),
    text: z.boolean().describe('Whether the content is UTF-8 text.'),
    updatedAt: z.iso
      .datetime({ offset: true })
      .nullable()
      .describe('The time of the last change; null for a directory that was not created explicitly.'),
  })
  .meta({ id: 'ScriptFile' })

export type EntryView = z.output<typeof entryView>
export type MoveBody = z.output<typeof moveBody>
