import { useState } from 'preact/hooks'

import { useQuery } from '../../kit/location.ts'
import { draftOf } from './query.ts'
import type { Query, QueryDraft } from './query.ts'

export type EditedDraft = {
  readonly draft: QueryDraft
  /** Whether the draft is another than the stored one. */
  readonly isChanged: boolean
  /** Counts the texts that did not come from the editor. */
  readonly revision: number
  readonly change: (part: Partial<QueryDraft>) => void
  /** The draft was stored. */
  readonly store: (query: Query) => void
  /** Puts another draft into the editor. @returns how the former one comes back */
  readonly replace: (query: Query) => () => void
}

/** The draft of a data query, or of a new one in the group that the address names. */
export function useDraft(query: Query | undefined): EditedDraft {
  const [group] = useQuery<string>('group', '')
  const stored = query
    ? draftOf(query)
    : { ...draftOf(undefined), groupId: group === '' ? null : Number(group) }
  const [draft, setDraft] = useState<QueryDraft>(stored)
  const [revision, setRevision] = useState(0)
  const put = (next: QueryDraft): void => {
    setDraft(next)
    setRevision((now) => now + 1)
  }
  return {
    draft,
    isChanged: JSON.stringify(draft) !== JSON.stringify(stored),
    revision,
    change: (part) => setDraft({ ...draft, ...part }),
    store: (saved) => setDraft(draftOf(saved)),
    replace: (other) => {
      const former = draft
      put(draftOf(other))
      return () => put(former)
    },
  }
}
