import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'
import { filenameOf } from './filename.ts'

/** Files of a page at most. */
export const LIMIT_MAX = 1_000

export const filePath = z.object({
  filename: z
    .string()
    .transform((text) => filenameOf(text) ?? '')
    .meta({ type: 'string' }),
})

export const listQuery = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(LIMIT_MAX)
    .optional()
    .describe('Number of files in a page; all files if absent.'),
  cursor: z.string().max(4096).optional().describe('The cursor in the Link header of the previous page.'),
})

export const fileView = z
  .object({
    name: z.string(),
    size: z.int().describe('Bytes.'),
    mimeType: z.string().describe('The media type; `application/octet-stream` if unknown.'),
    etag: z.string(),
    updatedAt: timestamp,
    url: z.string().describe('The path to download the file.'),
  })
  .meta({ id: 'File' })

export type FileView = z.infer<typeof fileView>
