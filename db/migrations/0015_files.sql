CREATE TABLE `doomed_blobs` (
	`key` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `doomed_blobs_by_time` ON `doomed_blobs` (`at`);--> statement-breakpoint
CREATE TABLE `files` (
	`name` text PRIMARY KEY NOT NULL,
	`mime_type` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`blob` text NOT NULL,
	`updated_at` integer NOT NULL
);
