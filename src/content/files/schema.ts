import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'
import { linkCursor, pageLimit } from '../../http/paging.ts'
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
  limit: pageLimit(LIMIT_MAX).optional().describe('Number of files in a page; all files if absent.'),
  cursor: linkCursor,
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
