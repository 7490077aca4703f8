import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'

export const styleView = z
  .object({
    name: z.string(),
    size: z.int().describe('Bytes.'),
    etag: z.string(),
    updatedAt: timestamp,
    url: z.string().describe('The path to read the style.'),
  })
  .meta({ id: 'Style' })

export type StyleView = z.infer<typeof styleView>
