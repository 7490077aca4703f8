/** Requests from outside and to the outside. */
export interface Network {
  /** The address of the client; empty when the host does not know it. */
  addressOf(request: Request): string
  /** The answer to this request may take any time: the host does not close its connection. The address of the sender stays known after the answer. */
  takesLong(request: Request): void
  /** Sends a request to an address of the operator's choice, with certificates checked. */
  fetch(request: Request): Promise<Response>
  /** Sends a request to an address of a user's choice: never to a private address, under any name, unless
   * `settings.outboundAllow` names the host. Redirects are answered and not followed, certificates are checked.
   * @throws {Refusal} forbidden when the address is private */
  fetchOutside(request: Request): Promise<Response>
}
