import * as z from 'zod'

export const styleView = z
  .object({
    name: z.string(),
    size: z.int().describe('Bytes.'),
    etag: z.string(),
    updatedAt: z.iso.datetime({ offset: true }),
    url: z.string().describe('The path to read the style.'),
  })
  .meta({ id: 'Style' })

export type StyleView = z.infer<typeof styleView>
