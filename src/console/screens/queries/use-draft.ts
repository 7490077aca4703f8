import { useRef } from 'preact/hooks'

import { callVersioned } from '../../api/client.ts'
import type { Call } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { useEditing } from '../../kit/editing.tsx'
import type { Editing } from '../../kit/editing.tsx'
import type { Version } from '../../kit/versions.ts'
import { bodyOf, draftOf } from './query.ts'
import type { Query, QueryDraft } from './query.ts'

export type EditedDraft = Editing<Query | undefined, QueryDraft> & {
  /** Counts the texts that did not come from the editor. */
  readonly revision: number
  /** Takes a text from the editor. */
  readonly write: (text: string) => void
}

/** The draft of a data query, or of a new one.
 * @param fresh how the draft of a new one begins */
export function useDraft(version: Version<Query | undefined>, fresh: QueryDraft): EditedDraft {
  const editing = useEditing(version, {
    draftOf: (query: Query | undefined) => (query ? draftOf(query) : fresh),
    send,
    read: () => read(version.object),
  })
  const { draft, change } = editing
  const written = useRef(draft.text)
  const revision = useRef(0)
  if (draft.text !== written.current) {
    written.current = draft.text
    revision.current += 1
  }
  return {
    ...editing,
    revision: revision.current,
    write: (text) => {
      written.current = text
      change({ text })
    },
  }
}

async function read(query: Query | undefined): Promise<Version<Query | undefined>> {
  if (query === undefined) return { object: undefined, etag: undefined }
  const { data, etag } = await callVersioned('get', '/dataQueries/{id}', { path: { id: query.id } })
  return { object: data, etag }
}

async function send(
  { object, etag: ifMatch }: Version<Query | undefined>,
  draft: QueryDraft,
): Promise<Version<Query>> {
  const body = bodyOf(draft)
  const { data, etag } =
    object === undefined
      ? await callVersioned('post', '/dataQueries', { body } as Call<'/dataQueries', 'post'>)
      : await callVersioned('put', '/dataQueries/{id}', {
          path: { id: object.id },
          body,
          ifMatch,
        } as Call<'/dataQueries/{id}', 'put'>)
  invalidate('/dataQueries')
  return { object: data, etag }
}
