CREATE TABLE `directory_syncs` (
	`id` integer PRIMARY KEY NOT NULL,
	`due_at` integer NOT NULL,
	`held_until_at` integer NOT NULL,
	`report` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `users` ADD `directory_id` text;--> statement-breakpoint
ALTER TABLE `users` ADD `disabled_at` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `users_directory_id_unique` ON `users` (`directory_id`);