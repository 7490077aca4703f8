CREATE TABLE `dashboard_publics` (
	`dashboard_id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`token_hash` text NOT NULL,
	`token_sealed` text NOT NULL,
	`expires_at` integer,
	`settings` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`dashboard_id`) REFERENCES `dashboards`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `dashboard_publics_by_token` ON `dashboard_publics` (`token_hash`);--> statement-breakpoint
CREATE INDEX `dashboard_publics_by_user` ON `dashboard_publics` (`user_id`);--> statement-breakpoint
CREATE TABLE `dashboard_snapshots` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`dashboard_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`until_at` integer NOT NULL,
	`contents` text NOT NULL,
	FOREIGN KEY (`dashboard_id`) REFERENCES `dashboards`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `dashboard_snapshots_by_dashboard` ON `dashboard_snapshots` (`dashboard_id`);--> statement-breakpoint
CREATE INDEX `dashboard_snapshots_by_user` ON `dashboard_snapshots` (`user_id`);