/** Who calls the service from outside, and whom it calls. */
export interface Network {
  /** The address of whoever sent the request; empty where the host cannot tell. */
  addressOf(request: Request): string
  /** The answer to this request may take any time: the host does not close its connection. The address of the sender stays known after the answer. */
  takesLong(request: Request): void
  /** Sends a request to where the operator said, with certificates checked. */
  fetch(request: Request): Promise<Response>
  /** Sends a request to where a user said: never to a private address, whatever name leads there, unless
   * `settings.outboundAllow` names the host. Redirects are answered and not followed, certificates are checked.
   * @throws {Refusal} forbidden when the address is private */
  fetchOutside(request: Request): Promise<Response>
}
