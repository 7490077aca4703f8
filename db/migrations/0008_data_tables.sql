CREATE TABLE `data_generations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`data_source_id` integer NOT NULL,
	`drop_at` integer
);
--> statement-breakpoint
CREATE INDEX `data_generations_by_drop` ON `data_generations` (`drop_at`);--> statement-breakpoint
CREATE TABLE `data_tables` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`data_source_id` integer NOT NULL,
	`name` text NOT NULL,
	`columns` text NOT NULL,
	`generation_id` integer NOT NULL,
	`rows` integer NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`data_source_id`) REFERENCES `data_sources`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`generation_id`) REFERENCES `data_generations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `data_tables_by_name` ON `data_tables` (`data_source_id`,"name" collate nocase);--> statement-breakpoint
CREATE INDEX `data_tables_by_generation` ON `data_tables` (`generation_id`);--> statement-breakpoint
CREATE TABLE `data_uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`data_source_id` integer NOT NULL,
	`blob` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`data_source_id`) REFERENCES `data_sources`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `data_uploads_by_source` ON `data_uploads` (`data_source_id`);--> statement-breakpoint
CREATE INDEX `data_uploads_by_expiry` ON `data_uploads` (`expires_at`);