import { useRef } from 'preact/hooks'

import type { Occurrence } from './occurrences.ts'
import type { Span } from './schedule.ts'

/** A time that is being changed: of an occurrence, or of a plan for null. */
export type Draft = Span & { readonly occurrence: Occurrence | null }
/** The part that a pointer holds: an occurrence, one of its ends, or an empty time. */
export type Grip = 'move' | 'begin' | 'end' | 'plan'
export type Grab<P> = {
  readonly grip: Grip
  readonly occurrence: Occurrence | null
  /** Where the pointer went down. */
  readonly place: P
}
/** The means of a calendar to change its entries by pointer and keys. */
export type Moves = {
  readonly draft: Draft | null
  readonly setDraft: (draft: Draft | null) => void
  /** Saves the draft, or asks what else it takes. */
  readonly settle: (draft: Draft) => void
  readonly mayGrab: (occurrence: Occurrence, grip: Grip) => boolean
}

type Held<P> = Grab<P> & { readonly x: number; readonly y: number; isMoving: boolean; draft: Draft | null }

/** A pointer that moves less than this clicks. */
const CLICK_PX = 5

type Options<P> = {
  readonly find: (key: string) => Occurrence | undefined
  /** The place of the calendar below the pointer; null outside of it. */
  readonly placeAt: (event: PointerEvent) => P | null
  readonly draftOf: (grab: Grab<P>, place: P) => Draft | null
  /** Whether an occurrence may be changed so; tells why when it may not. */
  readonly mayGrab: (occurrence: Occurrence, grip: Grip) => boolean
  readonly onDraft: (draft: Draft | null) => void
  readonly onDrop: (draft: Draft) => void
}

/** Handlers of a calendar in which a mouse or a pen drags. A finger scrolls. */
export function useDrag<P>(options: Options<P>) {
  const held = useRef<Held<P> | null>(null)
  const wasDragged = useRef(false)
  const leave = (): void => {
    held.current = null
  }
  return {
    onPointerDown(event: PointerEvent & { readonly target: EventTarget | null }) {
      wasDragged.current = false
      const target = event.target as HTMLElement
      const place = options.placeAt(event)
      const button = target.closest<HTMLElement>('button')
      const key = button?.dataset['key']
      const occurrence = key === undefined ? null : (options.find(key) ?? null)
      if (event.button !== 0 || event.pointerType === 'touch' || place === null) return
      if ((button && occurrence === null) || (occurrence === null && target.closest('thead'))) return
      const edge = target.closest<HTMLElement>('[data-edge]')?.dataset['edge'] as Grip | undefined
      const grip = occurrence === null ? 'plan' : (edge ?? 'move')
      held.current = {
        grip,
        occurrence,
        place,
        x: event.clientX,
        y: event.clientY,
        isMoving: false,
        draft: null,
      }
    },
    onPointerMove(event: PointerEvent & { readonly currentTarget: Element }) {
      const grab = held.current
      if (grab === null) return
      if (!grab.isMoving) {
        if (Math.hypot(event.clientX - grab.x, event.clientY - grab.y) < CLICK_PX) return
        if (grab.occurrence && !options.mayGrab(grab.occurrence, grab.grip)) return leave()
        grab.isMoving = true
        event.currentTarget.setPointerCapture(event.pointerId)
      }
      const place = options.placeAt(event)
      const draft = place === null ? null : options.draftOf(grab, place)
      if (draft === null || (draft.begin === grab.draft?.begin && draft.end === grab.draft.end)) return
      grab.draft = draft
      options.onDraft(draft)
    },
    onPointerUp() {
      const grab = held.current
      leave()
      if (!grab?.isMoving) return
      wasDragged.current = true
      if (grab.draft) options.onDrop(grab.draft)
    },
    onPointerCancel() {
      leave()
      options.onDraft(null)
    },
    onClickCapture(event: Event) {
      if (!wasDragged.current) return
      wasDragged.current = false
      event.preventDefault()
      event.stopPropagation()
    },
  }
}

const ARROWS = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight']

type Keys = Pick<Moves, 'draft' | 'setDraft' | 'mayGrab'> & {
  readonly find: (key: string | undefined) => Occurrence | undefined
  /** The time that an arrow key leads to. */
  readonly keyed: (draft: Draft, arrow: string, grip: 'move' | 'end') => Draft
}

/** Moves the occurrence that has the focus by Alt and an arrow, or its end with Shift. Returns whether the key did so. */
export function pressAlt(event: KeyboardEvent, { draft, setDraft, mayGrab, find, keyed }: Keys): boolean {
  if (draft !== null && event.key === 'Escape') {
    setDraft(null)
    return true
  }
  const held = event.target instanceof HTMLElement ? find(event.target.dataset['key']) : undefined
  if (!held || !event.altKey || event.ctrlKey || !ARROWS.includes(event.key)) return false
  event.preventDefault()
  const grip = event.shiftKey ? 'end' : 'move'
  if (draft !== null || mayGrab(held, grip))
    setDraft(keyed(draft ?? { ...held, occurrence: held }, event.key, grip))
  return true
}
