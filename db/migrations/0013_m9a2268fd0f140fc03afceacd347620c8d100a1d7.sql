CREATE TABLE `oidc_identities` (
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`user_id` integer NOT NULL,
	PRIMARY KEY(`issuer`, `subject`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `oidc_identities_user_id_unique` ON `oidc_identities` (`user_id`);--> statement-breakpoint
CREATE TABLE `oidc_logins` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`challenge` text NOT NULL,
	`subject` text NOT NULL,
	`sid` text NOT NULL,
	`id_token` text NOT NULL,
	`is_strong` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `oidc_logins_by_end` ON `oidc_logins` (`expires_at`);--> statement-breakpoint
CREATE TABLE `oidc_sessions` (
	`session_hash` text PRIMARY KEY NOT NULL,
	`subject` text NOT NULL,
	`sid` text NOT NULL,
	`id_token` text NOT NULL,
	FOREIGN KEY (`session_hash`) REFERENCES `sessions`(`hash`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `oidc_sessions_by_subject` ON `oidc_sessions` (`subject`);--> statement-breakpoint
CREATE INDEX `oidc_sessions_by_sid` ON `oidc_sessions` (`sid`);--> statement-breakpoint
CREATE TABLE `oidc_states` (
	`hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `oidc_states_by_end` ON `oidc_states` (`expires_at`);