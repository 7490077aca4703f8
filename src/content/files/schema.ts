import * as z from 'zod'
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
    .describe('Files of a page; without it all are answered.'),
  cursor: z.string().max(4096).optional().describe('From the Link header of the page before.'),
})

export const fileView = z
  .object({
    name: z.string(),
    size: z.int().describe('Bytes.'),
    mimeType: z.string().describe('`application/octet-stream` where it is not known.'),
    etag: z.string(),
    updatedAt: z.iso.datetime({ offset: true }),
    url: z.string().describe('The path of its bytes.'),
  })
  .meta({ id: 'File' })

export type FileView = z.infer<typeof fileView>
