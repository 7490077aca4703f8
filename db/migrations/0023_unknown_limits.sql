CREATE TABLE `unknown_limits` (
	`job_id` integer PRIMARY KEY NOT NULL,
	`since_at` integer NOT NULL,
	FOREIGN KEY (`job_id`) REFERENCES `jobs`(`id`) ON UPDATE no action ON DELETE cascade
);
